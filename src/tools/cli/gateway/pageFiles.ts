/** The page. What it shows comes by its script, as text. */
export const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tools of an MCP server</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/page.css">
<script type="module" src="/page.js"></script>
<body data-view="list">
<header>
  <h1>Tools of an MCP server</h1>
  <p id="summary" class="muted">Connecting…</p>
</header>
<div id="problem" role="alert" hidden></div>
<button id="retry" type="button" hidden>Try again</button>
<form id="token" hidden>
  <label for="token-field">The gateway asks for its token (--token, TASKWIRE_TOKEN)</label>
  <input id="token-field" type="password" autocomplete="off" required>
  <button class="primary">Continue</button>
</form>
<main>
  <nav id="list" aria-label="Tools"></nav>
  <div id="work">
    <p id="hint" class="muted">Choose a tool. A call that takes long survives a reload of this page, a second tab and a lost network.</p>
    <section id="tool" aria-label="Tool"></section>
    <section aria-labelledby="calls-heading">
      <h2 id="calls-heading">Calls</h2>
      <p id="none" class="muted">None yet.</p>
      <ul id="calls"></ul>
    </section>
  </div>
</main>
<p id="news" class="unseen" role="status" hidden></p>
</body>
</html>
`

export const STYLES = `
:root {
  color-scheme: light dark;
  --canvas: light-dark(#ffffff, #15181d);
  --sunken: light-dark(#f4f5f8, #1b1f26);
  --line: light-dark(#dde1e7, #2b313b);
  --line-strong: light-dark(#8a93a2, #69727f);
  --text: light-dark(#171b22, #e8ebf0);
  --muted: light-dark(#555e6d, #a2abb9);
  --accent: light-dark(#3d57d6, #93a5ff);
  --accent-soft: light-dark(#e4e9fc, #2c3766);
  --on-accent: light-dark(#ffffff, #10131a);
  --success: light-dark(#177245, #58c88f);
  --warning: light-dark(#8a5a00, #e0b04c);
  --danger: light-dark(#bb2d26, #ff8f87);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  color: var(--text);
  background: var(--canvas);
}
*, ::before, ::after { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; min-height: 100vh; overflow-wrap: anywhere; }
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 16px; padding: 14px 24px; border-bottom: 1px solid var(--line); }
h1 { margin: 0; font-size: 18px; }
h2 { margin: 0; font-size: 20px; }
h3 { margin: 0; font-size: 15px; }
p { margin: 0; text-wrap: pretty; }
.muted { color: var(--muted); }
.error { color: var(--danger); }
a { color: var(--accent); }
#problem { padding: 12px 24px; color: var(--danger); white-space: pre-wrap; }
#retry { margin: 0 24px; }
#token { display: flex; flex-wrap: wrap; align-items: center; gap: 8px; padding: 16px 24px; }
main { display: grid; grid-template-columns: 320px minmax(0, 1fr); align-items: start; }
nav { position: sticky; top: 0; max-height: 100vh; overflow: auto; padding: 12px; border-right: 1px solid var(--line); min-height: calc(100vh - 58px); }
ul { list-style: none; margin: 0; padding: 0; }
.tools a { display: block; padding: 8px 12px; border-radius: 8px; color: inherit; text-decoration: none; }
.tools b { display: block; font-weight: 600; }
.tools span { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; color: var(--muted); font-size: 13px; }
.tools a:hover { background: var(--sunken); }
.tools a[aria-current] { background: var(--accent-soft); }
.tools a[aria-current] span { color: inherit; }
#work { display: grid; gap: 28px; max-width: 800px; padding: 24px; min-width: 0; }
#tool { display: grid; gap: 10px; }
#tool:empty { display: none; }
#tool h2:focus { outline: none; }
.description { white-space: pre-line; }
.back { display: none; }
form { display: grid; gap: 14px; }
.field { display: grid; gap: 4px; border: 0; padding: 0; margin: 0; min-width: 0; }
.field label, .field legend { font-weight: 600; padding: 0; }
.field label span { font-weight: 400; color: var(--muted); }
.field label.box { display: flex; align-items: start; gap: 8px; font-weight: 400; }
.field p { color: var(--muted); font-size: 13px; }
.field p.error { color: var(--danger); }
input:not([type=checkbox], [type=radio]), select, textarea, button { min-height: 38px; padding: 7px 12px; border: 1px solid var(--line-strong); border-radius: 8px; background: var(--canvas); color: var(--text); font: inherit; }
input[type=checkbox], input[type=radio] { width: 18px; height: 18px; margin: 2px 0; accent-color: var(--accent); }
input:not([type=checkbox], [type=radio]), select, textarea { width: 100%; max-width: 480px; }
textarea { field-sizing: content; max-width: 100%; max-height: 50vh; resize: vertical; }
textarea[placeholder] { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: 14px; }
button { cursor: pointer; }
button:hover:not(:disabled) { background: var(--sunken); }
button:disabled { color: var(--muted); cursor: not-allowed; }
button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600; }
button.primary:hover:not(:disabled) { filter: brightness(1.08); background: var(--accent); }
button.primary:disabled { opacity: .6; color: var(--on-accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.actions { display: flex; flex-wrap: wrap; gap: 8px; }
section[aria-labelledby] { display: grid; gap: 12px; }
#calls { display: grid; gap: 12px; }
.call { --tone: var(--muted); display: grid; gap: 10px; padding: 14px 16px; border: 1px solid var(--line); border-left: 4px solid var(--tone); border-radius: 8px; min-width: 0; }
.call > div:empty { display: none; }
.call[data-tone="active"] { --tone: var(--accent); }
.call[data-tone="success"] { --tone: var(--success); }
.call[data-tone="warning"] { --tone: var(--warning); }
.call[data-tone="danger"] { --tone: var(--danger); }
.head { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 12px; }
.head h3 { flex: 1 1 200px; min-width: 0; }
.head .muted, .message { font-variant-numeric: tabular-nums; }
.status { color: var(--tone); font-weight: 600; }
progress { width: 100%; height: 8px; accent-color: var(--accent); }
.result { display: grid; gap: 8px; min-width: 0; }
pre { margin: 0; padding: 10px 12px; max-height: 360px; overflow: auto; background: var(--sunken); border-radius: 8px; white-space: pre-wrap; font: 13px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
img { max-width: 100%; height: auto; border-radius: 8px; }
audio { width: 100%; }
.asks fieldset { display: grid; gap: 12px; margin: 0; padding: 12px 16px 16px; border: 1px solid var(--warning); border-radius: 8px; min-width: 0; }
.asks fieldset .field { padding: 0; border: 0; }
.asks legend { padding: 0 6px; color: var(--warning); font-weight: 600; }
.asks .field legend { padding: 0; color: inherit; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (pointer: coarse) { button, input, select { min-height: 44px; } }
@media (max-width: 760px) {
  header { padding: 12px 16px; }
  #problem, #token { padding-inline: 16px; }
  #retry { margin-inline: 16px; }
  main { grid-template-columns: minmax(0, 1fr); }
  nav { position: static; max-height: none; min-height: 0; border-right: 0; border-bottom: 1px solid var(--line); padding: 8px; }
  #work { padding: 16px; gap: 24px; }
  [data-view="tool"] nav { display: none; }
  .back { display: block; padding: 4px 0; }
}
`
