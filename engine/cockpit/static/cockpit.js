"use strict";
// All pages work without this script; it keeps them up to date.

// Parts of a page that the server sends again: an event's name is the id of what it replaces.
for (const part of document.querySelectorAll("[data-events]")) {
  const source = new EventSource(part.dataset.events);
  for (const old of document.querySelectorAll("#state, [data-events] [id]")) {
    source.addEventListener(old.id, (event) => {
      if (old.contains(document.activeElement) && old !== document.activeElement) return; // somebody is there
      const open = [...old.querySelectorAll("details")].map((d) => d.open);
      old.innerHTML = event.data;
      old.querySelectorAll("details").forEach((d, i) => { d.open ||= open[i]; });
    });
  }
  source.addEventListener("ended", () => { source.close(); location.reload(); });
}

// What an edited file comes to, at each pause in typing.
const editor = document.getElementById("kbfile");
if (editor) {
  let pause, last = 0;
  editor.addEventListener("input", () => {
    clearTimeout(pause);
    pause = setTimeout(async () => {
      const mine = ++last;
      const answer = await fetch(editor.dataset.try, { method: "POST", body: new URLSearchParams(new FormData(editor)) });
      if (answer.ok && mine === last) document.getElementById("tried").innerHTML = await answer.text();
    }, 400);
  });
}

// The command line of a form, as it is filled in.
const form = document.getElementById("newcrawl");
if (form) {
  let waiting;
  form.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(async () => {
      const answer = await fetch("/new/command", { method: "POST", body: new URLSearchParams(new FormData(form)) });
      if (answer.ok) document.getElementById("command").textContent = await answer.text();
    }, 200);
  });
}
