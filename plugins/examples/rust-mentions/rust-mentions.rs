//! An extractor: the paragraphs of a page that mention the topic, with their places.
mod awarc;
use awarc::*;

#[derive(Default)]
struct Mentions(Matcher);

impl Plugin for Mentions {
    fn configure(&mut self, c: &Config) -> Answer {
        self.0 = Matcher::new(&c.topic);
        Ok(())
    }

    fn extract(&mut self, p: &Page, out: &mut Objects) -> Answer {
        let about: Vec<f64> = p.parts.iter().map(|part| self.0.relevance(part.text)).collect();
        let most = about.iter().cloned().fold(0.0, f64::max);
        if most == 0.0 {
            return Err(Stop::NoOpinion);
        }
        let o = out.object("schema:WebPage", p.url);
        o.confidence = most as f32;
        if !p.title.is_empty() {
            o.text("name", p.title, p.lang, None);
        }
        for (i, part) in p.parts.iter().enumerate().filter(|(i, _)| about[*i] > 0.0) {
            let span = Span { part: i as u32, start: 0, end: part.text.len() as u32 };
            o.text("text", part.text, p.lang, Some(span));
        }
        Ok(())
    }
}

plugin!(Mentions: extractor);
