package corpora

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"

	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// asia are texts without spaces.
func asia() []Corpus {
	return []Corpus{
		{"chinese novel", 1000, novel},
		{"chinese poems", 700, chinesePoems},
		{"japanese diary", 800, diary},
		{"japanese stations", 900, stations},
	}
}

// phrases joins n phrases of each list in turn, with marks between and at the end.
func phrases(r *rand.Rand, n int, comma, stop string, lists ...[]string) string {
	var b strings.Builder
	for i := range n {
		for _, l := range lists {
			b.WriteString(pick(r, l))
		}
		if i+1 < n && r.IntN(3) > 0 {
			b.WriteString(comma)
		} else {
			b.WriteString(stop)
		}
	}
	return b.String()
}

var (
	chineseSubjects = split("那年冬天, 老人, 少年, 山上的雪, 师父, 城里的人, 月光, 她, 船夫, " +
		"远处的钟声, 黑马, 掌柜, 风, 村口的狗, 小姑娘, 将军, 江水, 剑客")
	chineseVerbs = split("慢慢地走过, 忽然想起, 望着, 离开了, 找到了, 没有说出, 照着, 轻轻推开, " +
		"放下, 拾起, 听见, 忘记了, 守着, 绕过, 惊动了")
	chineseObjects = split("旧城门, 那扇窗, 一封信, 河边的柳树, 他的名字, 半块玉, 客栈的灯, 满地落叶, " +
		"石桥, 父亲的刀, 茶壶, 一盏灯笼, 故乡, 北方的天空, 破庙, 山路")

	japaneseWhen = split("今日は, 朝から, 昨夜, 久しぶりに, " +
		"夕方, 雨の中, 駅前で, 母と, 友人と, 仕事のあと, 日曜日, 窓辺で")
	japaneseWhat = split("本を, 古い写真を, 珈琲を, 犬の散歩を, " +
		"手紙を, 庭の花を, 新しい靴を, 電車を, 夕焼けを, ラジオを, 味噌汁を, 猫を")
	japaneseVerb = split("見た, 読んだ, 飲んだ, 買った, " +
		"待っていた, 忘れた, 思い出した, 撮った, 眺めていた, 作った, なくした, 探した")
	japanesePlaces = split("東, 西, 南, 北, 新, 上, 下, 中, 大, 小, 本, 元")
	japaneseLands  = split(
		`山, 川, 田, 野, 島, 崎, 浜, 橋, 町, 宮, 沢, 原, 森, 谷, 池,
			岡, 松, 竹, 梅, 桜, 泉, 石, 滝, 林, 井, 津, 坂, 戸, 門, 倉,
		里, 浦, 尾, 根, 藤, 杉, 柳, 岩, 砂, 湖,
		塚, 城, 寺, 堀, 丘`,
	)
)

func novel(pages int) *site {
	s := &site{
		name:   "雪落江城",
		lang:   "zh",
		layout: "asia",
		intro:  para("作者：佚名。最新章节请见目录。"),
		menu:   []link{{"/bookcase.php", "我的书架", ""}},
		back:   true,
		words:  labels{"下一章", "上一章", "目录", "首页"},
		index:  index{at: func(int) string { return "/12_12345/" }, form: bullets},
		absent: soft,
		aside:  []widget{timing},
	}
	for i := range pages {
		s.add(fmt.Sprintf("/12_12345/%d.html", 6_780_001+i*3), fmt.Sprintf("第%d章", i+1), func() string {
			r := draw("novel", i)
			return para(
				phrases(r, 12, "，", "。", chineseSubjects, chineseVerbs, chineseObjects),
				phrases(r, 9, "，", "。", chineseSubjects, chineseVerbs, chineseObjects),
			)
		})
	}
	return s
}

// chinesePoems are in GB18030, and of four lines.
func chinesePoems(pages int) *site {
	s := &site{
		name:        "诗集",
		lang:        "zh-CN",
		layout:      "nineties",
		intro:       para("绝句七百首。"),
		words:       labels{"下一首", "", "全部", "首页"},
		index:       index{at: numberedList("/shi/index.asp", "/shi/index.asp?page=%d"), per: 70, form: rows},
		absent:      broken,
		charset:     simplifiedchinese.GBK,
		charsetName: "gbk",
		aside:       []widget{counter},
	}
	heads, tails := split("春风, 秋月, 孤舟, 寒山, 落花, 江水, "+
		"白云, 夕阳, 古道, 青松, 长亭, 明月, 细雨, 飞鸟, 残雪, 故人"),
		split("照, 过, 满, 入, 空, 送, 归, 隔, 问, 落")
	ends := split("高楼, 天涯, 小桥, 故乡, 柴门, 酒家, 沙洲, 人家, 西窗, 楼台, 关山, 池塘, 竹林, 洞庭, 烟波")
	for i := range pages {
		r := draw("shi", i)
		name := pick(r, heads) + pick(r, tails) + pick(r, ends)
		s.add(fmt.Sprintf("/shi/show.asp?id=%d", i+1), name, func() string {
			r := draw("shi lines", i)
			return "<p>" + strings.Repeat(
				phrases(r, 1, "", "，", heads, tails, ends)+"<br>"+phrases(r, 1, "", "。", heads, tails, ends)+"<br>",
				1,
			) + phrases(
				r,
				2,
				"，",
				"。",
				heads,
				tails,
				ends,
			) + "</p>"
		})
	}
	return s
}

func diary(pages int) *site {
	s := &site{
		name:   "ひとりごと日記",
		lang:   "ja",
		layout: "weblog",
		intro:  para("毎日少しずつ。"),
		menu:   []link{{"/" + url.PathEscape("自己紹介"), "自己紹介", ""}},
		back:   true,
		words:  labels{"次の日記", "前の日記", "一覧", "トップ"},
		index:  index{at: func(int) string { return "/" + url.PathEscape("日記") + "/" }, form: inline},
		aside:  []widget{calendar},
	}
	for i := range pages {
		day := date(2006, 4, 1).AddDate(0, 0, i*2)
		s.add("/"+url.PathEscape("日記")+day.Format("/2006/01/02"), day.Format("2006年1月2日"), func() string {
			return para(phrases(draw("diary", i), 1+i%3, "、", "。", japaneseWhen, japaneseWhat, japaneseVerb))
		})
	}
	s.index.shelf = func(i int) (string, string) {
		day := date(2006, 4, 1).AddDate(0, 0, i*2)
		return "/" + url.PathEscape("日記") + day.Format("/2006/01"), day.Format("2006年1月")
	}
	return s
}

// stations are in Shift_JIS; a page is a name and two numbers.
func stations(pages int) *site {
	s := &site{
		name:        "全国駅名一覧",
		lang:        "ja",
		layout:      "portal",
		intro:       para("駅の一覧です。"),
		words:       labels{"次へ", "", "一覧へ戻る", "トップページ"},
		index:       index{at: offsetList("/eki.cgi", "/eki.cgi?start=%d", 60), per: 60, form: inline},
		absent:      open,
		step:        60,
		charset:     japanese.ShiftJIS,
		charsetName: "Shift_JIS",
		aside:       []widget{counter, timing},
	}
	for i := range pages {
		name := japanesePlaces[i%len(japanesePlaces)] + japaneseLands[i/len(japanesePlaces)%len(japaneseLands)]
		if i >= len(japanesePlaces)*len(japaneseLands) {
			name += japaneseLands[i%7]
		}
		s.add(fmt.Sprintf("/eki.cgi?code=%05d", 11_001+i*4), name+"駅", func() string {
			r := draw("station", i)
			return para(fmt.Sprintf("%s駅　始発 %d:%02d　終電 %d:%02d", name, 4+r.IntN(3), r.IntN(60), 22+r.IntN(2), r.IntN(60)))
		})
	}
	return s
}
