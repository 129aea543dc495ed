//! A plugin that answers with what it was told: a test of the SDK.
mod awarc;
use awarc::*;

#[derive(Default)]
struct Echo {
    config: Vec<u8>,
}

impl Plugin for Echo {
    fn configure(&mut self, c: &Config) -> Answer {
        let mut told = Objects::default();
        let o = told.object("schema:Config", "");
        o.text("raw", std::str::from_utf8(c.raw).map_err(|_| "the configuration is not UTF-8")?, "", None);
        o.text("crawl", c.crawl_id, "", None).int("seed", c.seed as i64, None).bool("deterministic", c.deterministic, None);
        o.text("name", c.topic.name, c.topic.lang, None);
        for t in &c.topic.terms {
            o.text("term", t.text, "", None).float("weight", t.weight as f64, None).int("flags", t.flags as i64, None);
        }
        for u in &c.topic.seed_urls {
            o.iri("start", u, None);
        }
        for (key, value) in &c.topic.params {
            o.text("key", key, "", None).text("value", value, "", None);
        }
        o.time("time", "2026-11-21T10:00:00Z", None);
        self.config = told.encode();
        Ok(())
    }

    fn score(&mut self, p: &Page, out: &mut Scores) -> Answer {
        match p.title {
            "fail" => return Err("because".into()),
            "none" => return Err(Stop::NoOpinion),
            _ => {}
        }
        out.doc = p.parent_score;
        out.reason = p.content_type.to_string();
        if p.truncated {
            out.blacklist_page();
        }
        if p.http_status == 404 {
            out.no_doc();
        }
        if p.links.len() > 2 {
            out.link(0, p.depth as f32);
            out.blacklist_url(1);
            out.blacklist_host(2);
        }
        Ok(())
    }

    fn extract(&mut self, p: &Page, out: &mut Objects) -> Answer {
        let o = out.object("schema:Page", p.url);
        o.text("title", p.title, p.lang, None);
        o.text("html", &String::from_utf8_lossy(p.html), "", None);
        o.text("mime", p.content_type, "", None).int("captured", -(p.capture_unix as i64), None);
        for (i, part) in p.parts.iter().enumerate() {
            let span = Span { part: i as u32, start: 0, end: part.text.len() as u32 };
            o.text("part", part.text, "", Some(span)).int("kind", part.kind as i64, None);
        }
        for l in &p.links {
            let o = out.object("schema:Link", "");
            o.confidence = 0.5;
            o.iri("url", l.url, None).text("anchor", l.anchor, "", None).text("context", l.context, "", None);
            o.int("flags", l.flags as i64, None);
        }
        send(&out.encode()); // what is sent twice is one response
        send(&self.config);
        *out = Objects::default();
        out.triple("http://s/", "http://p/", Node::Iri("http://o/"), None);
        out.triple("_:s", "http://p/", Node::Literal("text", "", "de"), None);
        out.triple("_:s", "http://p/", Node::Literal("1", "http://www.w3.org/2001/XMLSchema#int", ""), None);
        out.triple("http://s/", "http://p/", Node::Blank("_:o"), None);
        Ok(())
    }
}

plugin!(Echo: scorer, extractor);
