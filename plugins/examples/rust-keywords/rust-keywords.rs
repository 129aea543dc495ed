//! A scorer: how densely the terms of the topic stand in a page and around each of
//! its links.
mod awarc;
use awarc::*;

#[derive(Default)]
struct Keywords(Matcher);

impl Plugin for Keywords {
    fn configure(&mut self, c: &Config) -> Answer {
        self.0 = Matcher::new(&c.topic);
        Ok(())
    }

    fn score(&mut self, p: &Page, out: &mut Scores) -> Answer {
        out.doc = self.0.density(p.title, 3.0, &p.text(), 1.0);
        for (i, l) in p.links.iter().enumerate() {
            out.link(i, self.0.density(l.anchor, 2.0, l.context, 1.0));
        }
        Ok(())
    }
}

plugin!(Keywords: scorer);
