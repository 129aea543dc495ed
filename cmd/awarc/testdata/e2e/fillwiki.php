<?php
// Fills a wiki with the sections of the Debian Administrator's Handbook, an article each.
//
//   fillwiki.php mediawiki           writes what importDump.php reads to the output
//   fillwiki.php dokuwiki DIR        writes pages, their history and what was there before to the folders below DIR
//
// A chapter is a category, or a namespace. References between sections become links, and most articles
// were written by several people on several days. What is random has a fixed seed.
const BOOK = '/usr/share/doc/debian-handbook/html/en-US';
const MOST = 210;
const PEOPLE = ['Ada', 'Grace.Hopper', 'Katherine', 'Mary_Somerville', 'Hypatia', 'emmy', 'Sofia.K', 'Lise'];
mt_srand(1);

/** An article: its chapter, its title, its parts as [heading or '', blocks], and its sources in the book. */
class Article {
    public $chapter, $title, $parts = [], $more = [];
}

/** @return Article[] by the place that links name: "sect.apt-get.html#sect.apt-upgrade" */
function book(): array {
    $all = $chapters = [];
    foreach (glob(BOOK . '/*.html') as $file) {
        $doc = new DOMDocument;
        @$doc->loadHTML(file_get_contents($file));
        $x = new DOMXPath($doc);
        foreach ($x->query('//div[@class="chapter"]//h1[@class="title"]') as $h) {
            if (preg_match('/Chapter.(\d+)\.\s(.*)/us', text($h), $m)) $chapters[$m[1]] = trim($m[2]);
        }
        foreach ($x->query('//div[@class="section"][count(ancestor::div[@class="section"]) < 2]') as $s) {
            $title = $x->query('./div[@class="titlepage"]//*[@class="title"]', $s)->item(0);
            if (!$title || !preg_match('/^(\d+)\.\d+(\.\d+)?\.\s(.*)/us', text($title), $m)) continue;
            $a = new Article;
            $a->chapter = $m[1];
            $a->title = trim(str_replace([':', '/', '#', '"', '“', '”'], [' -', ' or ', '', '', '', ''], $m[3]));
            $deep = $m[2] !== '';
            parts($x, $s, $a, $deep, '');
            if (strlen(serialize($a->parts)) < 600) continue;
            $anchor = $x->query('.//a[@id]', $title)->item(0);
            $all[basename($file) . ($deep && $anchor ? '#' . $anchor->getAttribute('id') : '')] = $a;
        }
    }
    $all = array_slice($all, 0, MOST, true);
    $seen = [];
    foreach ($all as $a) {
        $a->chapter = $chapters[$a->chapter] ?? 'Appendix';
        if (isset($seen[strtolower($a->title)])) $a->title .= ' (' . $a->chapter . ')';
        $seen[strtolower($a->title)] = true;
    }
    return $all;
}

function text(DOMNode $n): string { return trim(preg_replace('/\s+/u', ' ', $n->textContent)); }

/** Reads the blocks of a section, and the sections in it that are no articles. */
function parts(DOMXPath $x, DOMNode $s, Article $a, bool $deep, string $heading): void {
    $blocks = [];
    foreach ($x->query('./div[@class="para"] | ./div/ul[@class=""]/li | ./div[@class="itemizedlist"]/ul | ./pre | ./div[@class="sidebar"]', $s) as $n) {
        $class = $n instanceof DOMElement ? $n->getAttribute('class') : '';
        if ($n->nodeName === 'pre') {
            $blocks[] = ['pre', rtrim($n->textContent)];
        } elseif ($n->nodeName === 'ul') {
            foreach ($x->query('./li', $n) as $li) $blocks[] = ['item', runs($li)];
        } elseif ($class === 'sidebar') {
            foreach ($x->query('./div[@class="para"]', $n) as $p) $blocks[] = ['para', runs($p)];
        } else {
            $blocks[] = ['para', runs($n)];
        }
    }
    $a->parts[] = [$heading, $blocks];
    foreach ($x->query('./div[@class="section"]', $s) as $in) {
        $title = $x->query('./div[@class="titlepage"]//*[@class="title"]', $in)->item(0);
        $name = preg_replace('/^[\d.]+\s/u', '', text($title));
        if ($deep) parts($x, $in, $a, true, $name);
        else $a->more[] = $name;
    }
}

/** Reads a paragraph as runs of text: [kind, text, target]. */
function runs(DOMNode $n): array {
    $out = [];
    foreach ($n->childNodes as $c) {
        $t = preg_replace('/\s+/u', ' ', $c->textContent);
        if ($t === '' || $t === null) continue;
        $class = $c instanceof DOMElement ? $c->getAttribute('class') : '';
        if ($class === 'xref' || $class === 'link') $out[] = ['link', $t, $c->getAttribute('href')];
        elseif ($class === 'url') $out[] = ['url', $t, $c->getAttribute('href')];
        elseif ($c->nodeName === 'code') $out[] = ['code', $t];
        elseif ($class === 'emphasis') $out[] = ['em', $t];
        else $out[] = ['text', $t];
    }
    return $out;
}

/** The revisions of an article: [time, who, share of its parts], the oldest first. */
function revisions(Article $a): array {
    $n = mt_rand(1, 4);
    $time = mt_rand(strtotime('2019-02-01'), strtotime('2022-06-01'));
    $out = [];
    for ($i = 1; $i <= $n; $i++) {
        $out[] = [$time, PEOPLE[mt_rand(0, count(PEOPLE) - 1)], $i / $n];
        $time += mt_rand(3600, 200 * 86400);
    }
    return $out;
}

abstract class Markup {
    public $articles;
    public function __construct(array $articles) { $this->articles = $articles; }
    abstract function link(string $title, string $label): string;
    abstract function name(Article $a): string;
    abstract function markup(string $kind, string $t, string $to): string;
    abstract function heading(string $t): string;
    abstract function block(string $kind, string $t): string;

    function line(array $runs): string {
        $s = '';
        foreach ($runs as $r) {
            $to = $r[0] === 'link' ? ($this->articles[$r[2]] ?? $this->articles[strtok($r[2], '#')] ?? null) : null;
            if ($to) $s .= $this->link($this->name($to), preg_replace('/^Section [\d.]+, |[“”]/u', '', $r[1]));
            elseif ($r[0] === 'link') $s .= $r[1];
            else $s .= $this->markup($r[0], $r[1], $r[2] ?? '');
        }
        return trim($s);
    }

    /** The text of an article as it was when a share of its parts had been written. */
    function body(Article $a, float $share): string {
        $s = '';
        foreach (array_slice($a->parts, 0, max(1, (int)ceil($share * count($a->parts)))) as [$heading, $blocks]) {
            if ($heading !== '') $s .= $this->heading($heading);
            $blocks = array_slice($blocks, 0, max(1, (int)ceil($share * count($blocks))));
            foreach ($blocks as [$kind, $t]) $s .= $this->block($kind, is_array($t) ? $this->line($t) : $t);
        }
        if ($a->more && $share == 1) {
            $s .= $this->heading('See also');
            foreach ($this->articles as $b) {
                if (in_array($b->title, $a->more, true)) $s .= $this->block('item', $this->link($this->name($b), $b->title));
            }
        }
        return $s;
    }

    /** The front page: all articles, by chapter. */
    function front(): string {
        $s = $this->block('para', 'This wiki holds what the administrators of our machines wrote down for each other. Whoever finds ' .
            'a mistake is asked to mend it, and to say in the summary what was wrong.');
        $of = [];
        foreach ($this->articles as $a) $of[$a->chapter][] = $a;
        foreach ($of as $chapter => $list) {
            $s .= $this->heading($chapter);
            foreach (array_slice($list, 0, 6) as $a) $s .= $this->block('item', $this->link($this->name($a), $a->title));
        }
        return $s;
    }
}

class MediaWiki extends Markup {
    function name(Article $a): string { return ucfirst($a->title); }
    function link(string $title, string $label): string { return "[[$title|$label]]"; }
    function heading(string $t): string { return "\n== $t ==\n"; }
    function markup(string $kind, string $t, string $to): string {
        switch ($kind) {
        case 'url': return "[$to $t]";
        case 'code': return "<code><nowiki>$t</nowiki></code>";
        case 'em': return "''$t''";
        }
        return str_replace(['[[', '{{', "\n"], ['', '', ' '], $t);
    }
    function block(string $kind, string $t): string {
        switch ($kind) {
        case 'pre': return "<pre>\n$t\n</pre>\n";
        case 'item': return "* $t\n";
        }
        return "$t\n\n";
    }

    function page(string $title, int $ns, array $revisions): void {
        echo "<page><title>", htmlspecialchars($title), "</title><ns>$ns</ns>\n";
        foreach ($revisions as [$time, $who, $text]) {
            echo '<revision><timestamp>', gmdate('Y-m-d\TH:i:s\Z', $time), '</timestamp><contributor><username>',
                htmlspecialchars(ucfirst(strtr($who, '_', ' '))), '</username></contributor><comment>', $time % 3 ? 'more of it' : '',
                '</comment><model>wikitext</model><format>text/x-wiki</format><text xml:space="preserve">',
                htmlspecialchars($text), "</text></revision>\n";
        }
        echo "</page>\n";
    }

    function write(): void {
        echo '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">', "\n";
        $this->page('MediaWiki:Mainpage', 8, [[strtotime('2022-11-02 09:00'), PEOPLE[0], 'Handbook']]);
        $this->page('Handbook', 0, [[strtotime('2022-11-02 10:00'), PEOPLE[0], $this->front()]]);
        $chapters = [];
        foreach ($this->articles as $a) {
            $chapters[$a->chapter] = true;
            $out = [];
            foreach (revisions($a) as [$time, $who, $share]) {
                $text = $this->body($a, $share) . "\n[[Category:{$a->chapter}]]" . ($time % 4 ? '' : "\n[[Category:To be reviewed]]");
                $out[] = [$time, $who, $text];
            }
            $this->page($this->name($a), 0, $out);
            if (mt_rand(0, 5) === 0) {
                $this->page('Talk:' . $this->name($a), 1, [[end($out)[0] + 90000, PEOPLE[1],
                    "== Examples ==\nCould somebody add an example for those who read this for the first time? --[[User:Ada|Ada]]\n"]]);
            }
        }
        foreach (array_keys($chapters) as $c) {
            $this->page("Category:$c", 14, [[strtotime('2020-05-05 12:00'), PEOPLE[2],
                "All that was written about ''$c'', and how it is done here.\n[[Category:Handbook]]"]]);
        }
        foreach (PEOPLE as $i => $who) {
            $name = ucfirst(strtr($who, '_', ' '));
            $this->page("User:$name", 2, [[strtotime('2020-01-05 12:00') + 86400 * $i, $who, "I look after the machines on floor $i."]]);
        }
        echo "</mediawiki>\n";
    }
}

class DokuWiki extends Markup {
    public $dir;
    static function id(string $t): string { return trim(preg_replace('/[^a-z0-9.-]+/', '_', strtolower(iconv('UTF-8', 'ASCII//TRANSLIT', $t))), '_.-'); }
    function name(Article $a): string { return self::id($a->chapter) . ':' . self::id($a->title); }
    function link(string $title, string $label): string { return "[[:$title|$label]]"; }
    function heading(string $t): string { return "\n===== $t =====\n\n"; }
    function markup(string $kind, string $t, string $to): string {
        switch ($kind) {
        case 'url': return "[[$to|$t]]";
        case 'code': return "''%%$t%%''";
        case 'em': return "//$t//";
        }
        return $t;
    }
    function block(string $kind, string $t): string {
        switch ($kind) {
        case 'pre': return "<code>\n$t\n</code>\n\n";
        case 'item': return "  * $t\n";
        }
        return "$t\n\n";
    }

    function page(string $id, array $revisions): void {
        $path = strtr($id, ':', '/');
        foreach (['pages', 'attic', 'meta'] as $d) @mkdir(dirname("$this->dir/$d/$path"), 0755, true);
        $changes = '';
        foreach ($revisions as $i => [$time, $who, $text]) {
            $changes .= "$time\t127.0.0.1\t" . ($i ? 'E' : 'C') . "\t$id\t" . strtolower($who) . "\t" . ($i ? 'more of it' : 'created') . "\t\t" . strlen($text) . "\n";
            if ($i < count($revisions) - 1) file_put_contents("$this->dir/attic/$path.$time.txt.gz", gzencode($text));
        }
        file_put_contents("$this->dir/pages/$path.txt", $text);
        touch("$this->dir/pages/$path.txt", $time);
        file_put_contents("$this->dir/meta/$path.changes", $changes);
        touch("$this->dir/meta/$path.changes", $time);
    }

    function write(): void {
        $this->page('start', [[strtotime('2022-11-02 10:00'), PEOPLE[0], "====== Handbook ======\n\n" . $this->front()]]);
        $this->page('sidebar', [[strtotime('2022-11-02 11:00'), PEOPLE[0], "  * [[:start|Handbook]]\n  * [[:wiki:syntax|Syntax]]\n"]]);
        foreach ($this->articles as $a) {
            $out = [];
            foreach (revisions($a) as [$time, $who, $share]) $out[] = [$time, $who, "====== {$a->title} ======\n\n" . $this->body($a, $share)];
            $this->page($this->name($a), $out);
        }
    }
}

switch ($argv[1] ?? '') {
case 'mediawiki':
    (new MediaWiki(book()))->write();
    break;
case 'dokuwiki':
    $wiki = new DokuWiki(book());
    $wiki->dir = $argv[2];
    $wiki->write();
    break;
default:
    fwrite(STDERR, "usage: fillwiki.php mediawiki | dokuwiki DIR\n");
    exit(2);
}
