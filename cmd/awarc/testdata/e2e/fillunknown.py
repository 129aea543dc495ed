"""Fills a board (Spirit), a blog (Mezzanine), an issue tracker (Trac) or the sources of a blog of files (Pelican) with the same
made-up texts, and writes what was written as JSON. Each text ends with a mark that no other text has.

    fillunknown.py APPLICATION TRUTH [ENVIRONMENT]
"""

import datetime
import json
import random
import sys

rnd = random.Random(7)
utc = datetime.timezone.utc
syllables = "ba be bo da de du fi fo ga go ha he ki ko la le lu ma mi mo na ne no pa po ra re ri sa se so ta te ti to va ve wa wo".split()
vocabulary = ["".join(rnd.choice(syllables) for _ in range(rnd.randint(1, 4))) for _ in range(3000)]
people = ["%s%s" % (rnd.choice(vocabulary), rnd.choice("xyz") + rnd.choice(vocabulary)) for _ in range(40)]
truth = []
when = datetime.datetime(2023, 1, 2, 8, 0, tzinfo=utc)


def words(least, most):
    return " ".join(rnd.choice(vocabulary) for _ in range(rnd.randint(least, most)))


def title():
    return words(2, 6).capitalize()


def later():
    global when
    when += datetime.timedelta(minutes=rnd.randint(5, 400))
    return when


def text(creator, least=20, most=120):
    """Returns a text and notes it as one of the site's contents."""
    mark = "mark" + "".join(chr(ord("a") + int(d)) for d in "%04d" % len(truth)) + "z"
    truth.append({"mark": mark, "creator": creator, "created": later().date().isoformat()})
    return "%s. %s %s." % (words(least, most).capitalize(), words(5, 30).capitalize(), mark)


def spirit():
    import django
    django.setup()
    from django.contrib.auth import get_user_model
    from spirit.category.models import Category
    from spirit.comment.models import Comment
    from spirit.topic.models import Topic

    users = [get_user_model().objects.create_user(p, p + "@example.com", "secret") for p in people]
    categories = [Category.objects.create(title=title(), description=words(4, 12)) for _ in range(5)]
    categories += [Category.objects.create(title=title(), parent=c) for c in categories[:3] for _ in range(2)]
    for _ in range(180):
        user = rnd.choice(users)
        topic = Topic.objects.create(title=title(), user=user, category=rnd.choice(categories))
        for i in range(1 + min(60, int(rnd.expovariate(1 / 8)))):
            if i > 0:
                user = rnd.choice(users)
            said = text(user.username)
            Comment.objects.create(user=user, topic=topic, comment=said, comment_html="<p>%s</p>" % said, date=when)
            topic.increase_comment_count()
        Topic.objects.filter(pk=topic.pk).update(date=when, last_active=when)


def mezzanine():
    import django
    django.setup()
    from django.contrib.auth import get_user_model
    from django.contrib.contenttypes.models import ContentType
    from mezzanine.blog.models import BlogCategory, BlogPost
    from mezzanine.generic.models import ThreadedComment

    users = [get_user_model().objects.create_user(p, p + "@example.com", "secret") for p in people[:4]]
    categories = [BlogCategory.objects.create(title=title()) for _ in range(8)]
    kind = ContentType.objects.get_for_model(BlogPost)
    for _ in range(160):
        user = rnd.choice(users)
        said = text(user.username, 120, 400)
        post = BlogPost.objects.create(title=title(), user=user, content="<p>%s</p>" % said, publish_date=when, status=2, gen_description=True)
        post.categories.set(rnd.sample(categories, rnd.randint(1, 2)))
        for _ in range(rnd.choice([0, 1, 2, 4, 7])):
            name = rnd.choice(people)
            said = text(name)
            comment = ThreadedComment(content_type=kind, object_pk=post.pk, site_id=1, user_name=name, user_email=name + "@example.com",
                                      comment=said, submit_date=when, is_public=True)
            comment.save()


def trac():
    from trac.env import open_environment
    from trac.ticket.model import Ticket
    from trac.wiki.model import WikiPage

    env = open_environment(sys.argv[3])
    for _ in range(200):
        creator = rnd.choice(people)
        ticket = Ticket(env)
        ticket["summary"], ticket["reporter"], ticket["description"] = title(), creator, text(creator)
        ticket["component"], ticket["status"] = rnd.choice(["component1", "component2"]), "new"
        number = ticket.insert(when=when)
        for _ in range(rnd.choice([0, 1, 3, 6])):
            creator = rnd.choice(people)
            Ticket(env, number).save_changes(creator, text(creator), when=later())
    pages = [words(1, 1).capitalize() + words(1, 1).capitalize() + str(i) for i in range(60)]
    for i, name in enumerate(pages):
        page = WikiPage(env, "Notes/" + name)
        page.text = "= %s =\n\n%s\n\nSee [wiki:Notes/%s] and [wiki:Notes/%s].\n" % (title(), text("-", 80, 200), rnd.choice(pages), rnd.choice(pages))
        page.save(rnd.choice(people), "", later())
    start = WikiPage(env, "WikiStart")
    start.text = "= Start =\n\n * [wiki:Notes/%s]\n" % "]\n * [wiki:Notes/".join(pages[:20])
    start.save("admin", "", later())


def pelican():
    for i in range(80):
        creator = rnd.choice(people[:4])
        said = "\n\n".join(words(40, 90).capitalize() + "." for _ in range(3)) + "\n\n" + text(creator)
        with open("content/%d.md" % i, "w") as f:
            f.write("Title: %s\nDate: %s\nCategory: %s\nTags: %s\nAuthor: %s\n\n%s\n" % (
                title(), when.strftime("%Y-%m-%d %H:%M"), rnd.choice(vocabulary[:3]), ", ".join(rnd.sample(vocabulary[10:18], 3)), creator, said))


{"spirit": spirit, "mezzanine": mezzanine, "trac": trac, "pelican": pelican}[sys.argv[1]]()
with open(sys.argv[2], "w") as f:
    json.dump(truth, f)
