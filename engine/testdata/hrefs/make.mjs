// Writes hrefs.json: addresses as pages have them, and what a browser requests for each.
// Run: node make.mjs > hrefs.json
const base = "http://h.example/d/base.html?q"
const paths = ["pi|pe", "a[1]", "a|b[2]", "{x}", "`x`", "^x", "\"x\"", "<x>", "a b", "a%20b", "a%2fb", "%zz", "100%", "%", "ä", "日本", "%C3%a4", "a;b=1",
  "a:b", "a@b", "a,b", "a'b", "a!b$c&d(e)*f+g", "~a", "a\\b", "./x", "x/../y", "%2e%2E/z", ".", "..", "a//b", "a/./", "\ta\nb", " a ", "\u00a0a", "\ud83d\ude00", "a\u0000b", "a=b"]
const queries = ["", "?", "?a=1&b=2", "?&a&&b=&", "?a|b", "?[1]=2", "?{x}", "?`", "?^", "?\"", "?<x>", "?a b", "?a'b", "?ä=ö", "?%zz", "?a?b", "?a=\\", "?a;b", "?a=http://x/?y", "?\u0000", "?a+b%20c"]
const ends = ["", "#", "#x|y", "#x?y"]
const others = ["", "http:x", "http:/x", "http:///h2.example/x", "http:\\\\h2.example\\x", "//h2.example", "//h2.example/x|y?", "///h2.example/y", "HTTP://H.EXAMPLE/X",
  "http://h.example:80/", "https://h.example:443/x", "http://h.example:8080/x|y", "http://h.example./x", "http://bücher.example/ü?ü", "http://127.1/x", "http://0x7f.1/",
  "http://[::1]/x", "http://h.example/a?b?c", "http://user:pw@h.example/x|y", "mailto:me", "javascript:x()", "data:,x", "tel:1", "ftp://h/x", "http://", "http://a b/",
  "http://h.example:99999/", "?", "?only", "?a|b", "#", "#x", "/", "//", "/..", "/../x", "\\x", "/\\h2.example/x", "x:y", "1:2"]
const hrefs = [...paths.flatMap(p => ends.slice(0, 3).map(e => "/" + p + e)), ...paths, ...queries.flatMap(q => ends.map(e => "/a" + q + e)),
  ...paths.map((p, i) => "/" + p + queries[i % queries.length]), ...others]
const request = h => {
  if (/^[\t\n\f\r ]*(#|$)/.test(h)) return "" // the page itself
  let u; try { u = new URL(h, base) } catch { return "" }
  if (!/^https?:$/.test(u.protocol) || !u.hostname) return ""
  u.hash = ""; u.username = ""; u.password = ""
  return u.href
}
// A final "?" stays: the URL Standard keeps an empty query, and node writes it.
console.log(JSON.stringify({ base, hrefs: [...new Set(hrefs)].map(href => [href, request(href)]) }, null, 0).replaceAll("],[", "],\n["))
