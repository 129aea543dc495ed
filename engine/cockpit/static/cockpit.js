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

// Parts of a page that are asked for again every so many seconds.
for (const part of document.querySelectorAll("[data-again]")) {
  setInterval(async () => {
    if (document.hidden || part.contains(document.activeElement)) return; // nobody sees it, or somebody is there
    const answer = await fetch(location.href);
    const now = answer.ok && new DOMParser().parseFromString(await answer.text(), "text/html").getElementById(part.id);
    if (now) part.innerHTML = now.innerHTML;
  }, 1000 * part.dataset.again);
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

// What the schema allows at the cursor, and a button for each that writes it there.
if (editor) {
  const text = document.getElementById("text"), here = document.getElementById("allowed");
  let shown, pause, last = 0;
  const ask = () => {
    const before = text.value.slice(0, text.selectionStart);
    if (before === shown) return;
    shown = before;
    clearTimeout(pause);
    pause = setTimeout(async () => {
      const mine = ++last, body = new URLSearchParams({ token: editor.elements.token.value, before });
      const answer = await fetch(editor.dataset.allowed, { method: "POST", body });
      if (answer.ok && mine === last) here.innerHTML = await answer.text();
    }, 200);
  };
  const line = Number(document.getElementById("line").value);
  if (line > 0) { // the page was opened to edit it
    const lines = text.value.split("\n"), at = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
    text.focus();
    text.setSelectionRange(at, at + (lines[line - 1] || "").length);
    text.scrollTop = (text.scrollHeight / lines.length) * Math.max(0, line - 5);
  }
  for (const kind of ["input", "keyup", "click", "focus"]) text.addEventListener(kind, ask);
  here.addEventListener("click", (event) => {
    const button = event.target.closest("[data-insert]");
    if (!button) return;
    let start = text.selectionStart;
    if ("tag" in button.dataset) start -= text.value.slice(0, start).match(/(<[\w:-]*)?$/)[0].length; // what was begun
    text.setRangeText(button.dataset.insert, start, text.selectionEnd, "end");
    const at = text.selectionEnd - (button.dataset.back || 0);
    text.setSelectionRange(at, at);
    text.focus();
    text.dispatchEvent(new Event("input", { bubbles: true }));
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
