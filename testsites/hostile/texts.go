package hostile

// texts are a few sentences in each language.
func texts() map[string]string {
	return map[string]string{
		"japanese": "" +
			"雨の朝、古い図書館の窓から港を見ていた。漁師たちは網を直し、子供たちは坂道を走っ" +
			"て学校へ行く。ここには百年前の新聞や手紙が残っていて、誰でも読むことができる。カ" +
			"タログはまだ完成していない。",
		"chinese": "" +
			"清晨下着小雨，我们在旧图书馆的窗边看着港口。渔民修补渔网，孩子们沿着山路跑向学校" +
			"。这里保存着一百年前的报纸和书信，任何人都可以阅读。目录还没有完成。",
		"taiwanese": "" +
			"清晨下著小雨，我們在舊圖書館的窗邊看著港口。漁民修補漁網，孩子們沿著山路跑向學校" +
			"。這裡保存著一百年前的報紙和書信，任何人都可以閱讀。目錄還沒有完成。",
		"korean": "" +
			"비 오는 아침에 우리는 오래된 도서관 창가에서 항구를 바라보았다. 어부들은 그물을 고치" +
			"고 아이들은 언덕길을 달려 학교로 간다. 이곳에는 백 년 전의 신문과 편지가 남아 있어 누" +
			"구나 읽을 수 있다.",
		"russian": "" +
			"Дождливым утром мы смотрели на гавань из окна старой библиотеки. " +
			"Рыбаки чинили сети, дети бежали по дороге в школу. Здесь хранятся " +
			"газеты и письма прошлого века, и каждый может их прочесть. Каталог" +
			" ещё не закончен.",
		"french": "" +
			"Par un matin de pluie, nous regardions le port depuis la fenêtre de la vieille bibliothèque. Les pêcheurs réparaient" +
			" leurs filets et les élèves couraient déjà vers l’école. Le café coûte 2 €.",
		"polish": "" +
			"W deszczowy poranek patrzyliśmy na port z okna starej biblioteki. Rybacy naprawiali sieci, a dzieci biegły drogą do s" +
			"zkoły. Każdy może tu przeczytać gazety i listy sprzed stu lat. Źródła są już spisane, żółte kartki też.",
		"greek": "" +
			"Ένα βροχερό πρωί κοιτάζαμε το λιμάνι από το παράθυρο της παλιάς β" +
			"ιβλιοθήκης. Οι ψαράδες επισκεύαζαν τα δίχτυα και τα παιδιά έτρεχα" +
			"ν στο σχολείο.",
	}
}

// encoded are these texts in encodings that the standard library does not make, in base64:
// the name of the encoding, the language, the bytes.
func encoded() [][3]string {
	return [][3]string{
		{"shift_jis", "japanese", "" +
			"iUqCzJKpgUGMw4KikH2PkYrZgsyRi4KpgueNYILwjKmCxIKigr2BQouZjnSCvYK/gs2W1ILwkryCtYFBjnGLn4K9gr+CzY3ik7mC8JGWgsGCxI" +
			"p3jVqC1o1zgq2BQoKxgrGCyYLNlVOUTpFPgsyQVpW3guKO6I6GgqqOY4LBgsSCooLEgUGSToLFguCTx4LegrGCxoKqgsWCq4LpgUKDSoNeg42D" +
			"T4LNgtyCvoqukKyCtYLEgqKCyIKigUI="},
		{"euc-jp", "japanese", "" +
			"saukzsSroaK4xaSkv9698bTbpM7B66SrpOm5waTyuKukxqSkpL+ho7X5u9Wkv6TBpM/M1qTyxL6kt6Giu9K2oaS/pMGkz7rkxruk8sH2pMOkxr" +
			"PYubuk2LnUpK+ho6SzpLOky6TPybTHr8GwpM6/t8q5pOS86rvmpKy7xKTDpMakpKTGoaLDr6THpOLGyaTgpLOkyKSspMekraTroaOlq6W/pe2l" +
			"sKTPpN6kwLSwwK6kt6TGpKSkyqSkoaM="},
		{"iso-2022-jp", "japanese", "" +
			"GyRCMSskTkQrISI4RSQkP149cTRbJE5BayQrJGk5QSRyOCskRiQkJD8hIzV5O1UkPyRBJE9MViRyRD4kNyEiO1I2ISQ/JEEkTzpkRjskckF2JE" +
			"MkRjNYOTskWDlUJC8hIyQzJDMkSyRPSTRHL0EwJE4/N0o5JGQ8ajtmJCw7RCRDJEYkJCRGISJDLyRHJGJGSSRgJDMkSCQsJEckLSRrISMlKyU/" +
			"JW0lMCRPJF4kQDQwQC4kNyRGJCQkSiQkISMbKEI="},
		{"gbk", "chinese", "" +
			"x+Wzv8/C18XQodPqo6zO0sPH1Nq+yc28yum53bXEtLCx37+018W427/aoaPT5sPx0N6yudPmzfijrLqi19PDx9HY18XJvcK3xdzP8tGn0KOho9" +
			"XiwO+xo7Tm18XSu7DZxOrHsLXEsajWvbrNyunQxaOsyM66zsjLtry/ydLU1MS2waGjxL/CvLu5w7vT0M3qs8mhow=="},
		{"gb18030", "chinese", "" +
			"x+Wzv8/C18XQodPqo6zO0sPH1Nq+yc28yum53bXEtLCx37+018W427/aoaPT5sPx0N6yudPmzfijrLqi19PDx9HY18XJvcK3xdzP8tGn0KOho9" +
			"XiwO+xo7Tm18XSu7DZxOrHsLXEsajWvbrNyunQxaOsyM66zsjLtry/ydLU1MS2waGjxL/CvLu5w7vT0M3qs8mhow=="},
		{"big5", "taiwanese", "" +
			"sk2x4aRVtdukcKtCoUGn2q3MpmLCwrnPrtHAXaq6taHD5Kzdtdu05KRmoUO6rqXBrde4ybquuvShQavEpGytzKp1tdukc7j0tl2mVr7HrtWhQ7" +
			"NvuMyrT6ZztdukQKbKpn6rZaq6s/ivyKlNrtGrSKFBpfSm86RIs6OlaaVIvlzFqqFDpdi//cHZqFOms6e5pqihQw=="},
		{"euc-kr", "korean", "" +
			"uvEgv8C0wiC+xsSnv6Egv+y4rrTCIL/At6G1yCC1tbytsPwgw6Kwob+hvK0gx9exuLimILnZtvO6uL7StNkuIL7uus616cC6ILHXubDAuyCw7c" +
			"ShsO0gvsbAzLXpwLogvvC09rHmwLsgtN63wSDH0LGzt84gsKO02S4gwMyw97+htMIguekgs+IgwPzAxyC9xbmusPogxu3B9rChILOyvsYgwNa+" +
			"7iC0qbG4s6ogwNDAuyC89iDA1rTZLg=="},
		{"windows-1251", "russian", "" +
			"xO7m5Ovo4vvsIPPy8O7sIOz7IPHs7vLw5evoIO3gIOPg4uDt/CDo5yDu6u3gIPHy4PDu6SDh6OHr6O7y5eroLiDQ++Hg6ugg9+jt6OvoIPHl8u" +
			"gsIOTl8ugg4eXm4OvoIO/uIOTu8O7j5SDiIPjq7uvzLiDH5OXx/CD18ODt//Lx/yDj4Ofl8vsg6CDv6PH87OAg7/Du+Ovu4+4g4uXq4Cwg6CDq" +
			"4Obk++kg7O7m5fIg6PUg7/Du9+Xx8vwuIMrg8uDr7uMg5fm4IO3lIOfg6u7t9+XtLg=="},
		{"koi8-r", "russian", "" +
			"5M/WxMzJ19nNINXU0s/NIM3ZINPNz9TSxczJIM7BIMfB18HO2CDJ2iDPy87BINPUwdLPyiDCycLMyc/UxcvJLiDy2cLBy8kg3snOyczJINPF1M" +
			"ksIMTF1MkgwsXWwczJINDPIMTP0s/HxSDXINvLz8zVLiD6xMXT2CDI0sHO0dTT0SDHwdrF1NkgySDQydPYzcEg0NLP28zPx88g18XLwSwgySDL" +
			"wdbE2cogzc/WxdQgycgg0NLP3sXT1NguIOvB1MHMz8cgxd2jIM7FINrBy8/O3sXOLg=="},
		{"iso-8859-5", "russian", "" +
			"tN7W1NvY0uvcIOPi4N7cINzrIOHc3uLg1dvYIN3QINPQ0tDd7CDY1yDe2t3QIOHi0ODe2SDR2NHb2N7i1drYLiDA69HQ2tgg59jd2NvYIOHV4t" +
			"gsINTV4tgg0dXW0NvYIN/eINTe4N7T1SDSIOja3tvjLiC31NXh7CDl4NDd7+Lh7yDT0NfV4usg2CDf2OHs3NAg3+De6Nve094g0tXa0Cwg2CDa" +
			"0NbU69kg3N7W1eIg2OUg3+De59Xh4uwuILrQ4tDb3tMg1enxIN3VINfQ2t7d59XdLg=="},
		{"windows-1252", "french", "" +
			"UGFyIHVuIG1hdGluIGRlIHBsdWllLCBub3VzIHJlZ2FyZGlvbnMgbGUgcG9ydCBkZXB1aXMgbGEgZmVu6nRyZSBkZSBsYSB2aWVpbGxlIGJpYm" +
			"xpb3Ro6HF1ZS4gTGVzIHDqY2hldXJzIHLpcGFyYWllbnQgbGV1cnMgZmlsZXRzIGV0IGxlcyDpbOh2ZXMgY291cmFpZW50IGTpauAgdmVycyBs" +
			"kuljb2xlLiBMZSBjYWbpIGNv+3RlIDIggC4="},
		{"iso-8859-2", "polish", "" +
			"VyBkZXN6Y3pvd3kgcG9yYW5layBwYXRyenlsabZteSBuYSBwb3J0IHogb2tuYSBzdGFyZWogYmlibGlvdGVraS4gUnliYWN5IG5hcHJhd2lhbG" +
			"kgc2llY2ksIGEgZHppZWNpIGJpZWezeSBkcm9nsSBkbyBzemtvs3kuIEthv2R5IG1vv2UgdHUgcHJ6ZWN6eXRh5iBnYXpldHkgaSBsaXN0eSBz" +
			"cHJ6ZWQgc3R1IGxhdC4grHLzZLNhIHOxIGp1vyBzcGlzYW5lLCC/87N0ZSBrYXJ0a2kgdGW/Lg=="},
		{"iso-8859-7", "greek", "" +
			"uO3hIOLx7/fl8fwg8PH53yDq7+n03Obh7OUg9O8g6+ns3O3pIOHw/CD07yDw4fHc6PXx7yD05/Ig8OHr6dzyIOLp4uvp7+je6ufyLiDP6SD44f" +
			"Hc5OXyIOXw6fPq5f3h5uHtIPThIOTf9/T14SDq4ekg9OEg8OHp5OncIN308eX34e0g8/TvIPP37+vl3+8u"},
	}
}
