/** The page. What it shows comes by its script, as text. */
export const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tasks</title>
<link rel="stylesheet" href="admin.css">
<script type="module" src="admin.js"></script>
<header>
  <h1>Tasks</h1>
  <form id="filter">
    <label>Status
      <select name="status">
        <option value="">any</option>
        <option>working</option>
        <option value="input_required">input required</option>
        <option>completed</option>
        <option>failed</option>
        <option>cancelled</option>
      </select>
    </label>
    <label>Tool <input name="tool" autocomplete="off" spellcheck="false"></label>
    <label>Owner <input name="owner" autocomplete="off" spellcheck="false"></label>
    <label>Older than
      <select name="age">
        <option value="">any age</option>
        <option value="60000">a minute</option>
        <option value="3600000">an hour</option>
        <option value="86400000">a day</option>
      </select>
    </label>
    <button>Show</button>
  </form>
</header>
<p id="problem" role="alert" hidden></p>
<main>
  <section aria-label="List of tasks">
    <table>
      <thead><tr><th>Status</th><th>Tool</th><th>Owner</th><th>Age</th><th>Attempts</th></tr></thead>
      <tbody id="tasks"></tbody>
    </table>
    <p id="empty" hidden>No tasks match.</p>
    <button id="more" hidden>Show older tasks</button>
  </section>
  <section id="detail" aria-label="Task" aria-live="polite" tabindex="-1"><p>Select a task to see its details.</p></section>
</main>
</html>
`

/** The look of the devtools. */
export const STYLES = `
:root {
  color-scheme: light dark;
  --canvas: light-dark(#ffffff, #15181d);
  --sunken: light-dark(#f1f3f6, #1b1f26);
  --line: light-dark(#dde1e7, #2b313b);
  --line-strong: light-dark(#8a93a2, #69727f);
  --text: light-dark(#171b22, #e8ebf0);
  --muted: light-dark(#555e6d, #a2abb9);
  --accent: light-dark(#3d57d6, #93a5ff);
  --accent-soft: light-dark(#dde3fb, #2c3766);
  --success: light-dark(#177245, #58c88f);
  --warning: light-dark(#8a5a00, #e0b04c);
  --danger: light-dark(#bb2d26, #ff8f87);
  font: 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  color: var(--text);
  background: var(--canvas);
}
*, ::before, ::after { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; min-height: 100vh; display: flex; flex-direction: column; }
header { display: flex; flex-wrap: wrap; align-items: end; gap: 8px 24px; padding: 12px 16px; border-bottom: 1px solid var(--line); }
h1 { margin: 0; font-size: 18px; line-height: 32px; }
form { display: flex; flex-wrap: wrap; align-items: end; gap: 8px 12px; }
label { display: grid; gap: 2px; color: var(--muted); font-size: 12px; }
input, select, button { min-height: 32px; padding: 4px 10px; border: 1px solid var(--line-strong); border-radius: 6px; background: var(--canvas); color: var(--text); font: inherit; font-size: 14px; }
input { width: 160px; }
button { cursor: pointer; }
button:hover:not(:disabled) { background: var(--sunken); }
button:disabled { color: var(--muted); cursor: not-allowed; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
#problem { margin: 0; padding: 8px 16px; color: var(--danger); border-bottom: 1px solid var(--line); }
main { flex: 1; display: grid; grid-template-columns: minmax(0, 3fr) minmax(320px, 2fr); }
main > section:first-child { border-right: 1px solid var(--line); }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th { padding: 8px 16px; text-align: start; color: var(--muted); font-size: 12px; font-weight: 400; border-bottom: 1px solid var(--line); }
td { padding: 7px 16px; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
td:first-child { border-left: 3px solid var(--tone); color: var(--tone); white-space: nowrap; }
td:nth-child(2) { min-width: 15ch; }
td button { padding: 0; min-height: 24px; border: 0; background: none; color: var(--text); font-weight: 600; text-align: start; overflow-wrap: anywhere; }
td button:hover:not(:disabled) { background: none; text-decoration: underline; }
th:nth-child(n + 4), td:nth-child(n + 4) { text-align: end; white-space: nowrap; }
tr[data-tone="active"], dd[data-tone="active"] { --tone: var(--accent); }
tr[data-tone="success"], dd[data-tone="success"] { --tone: var(--success); }
tr[data-tone="warning"], dd[data-tone="warning"] { --tone: var(--warning); }
tr[data-tone="danger"], dd[data-tone="danger"] { --tone: var(--danger); }
tr[data-tone="muted"], dd[data-tone="muted"] { --tone: var(--muted); }
tbody tr { cursor: pointer; }
tbody tr:hover { background: var(--sunken); }
tbody tr[aria-selected="true"] { background: var(--accent-soft); outline: 2px solid var(--accent); outline-offset: -2px; }
#empty { padding: 12px 16px; margin: 0; color: var(--muted); }
#more { margin: 12px 16px; }
#detail { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow: auto; padding: 12px 16px; }
#detail:focus-visible { outline-offset: -2px; }
#detail > p { margin: 0; color: var(--muted); }
h2 { margin: 0 0 8px; font-size: 16px; overflow-wrap: anywhere; }
dl { margin: 0 0 12px; }
dl > div { display: grid; grid-template-columns: 116px minmax(0, 1fr); gap: 8px; padding: 3px 0; }
dt { color: var(--muted); }
dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
dd[data-tone] { color: var(--tone); }
.actions { display: flex; gap: 8px; }
@media (pointer: coarse) { button, input, select { min-height: 44px; } td button { min-height: 30px; } }
@media (max-width: 760px) {
  main { grid-template-columns: minmax(0, 1fr); align-content: start; }
  main > section:first-child { border-right: 0; }
  #detail { top: auto; bottom: 0; align-self: auto; background: var(--canvas); border-top: 1px solid var(--line-strong); max-height: 60vh; overflow: auto; }
  label { flex: 1 1 40%; }
  input, select { width: 100%; }
  form, form > button { flex: 1 1 100%; }
  th, td { padding-inline: 8px; }
  td:first-child, th:first-child { padding-inline-start: 12px; white-space: normal; overflow-wrap: normal; }
  th:nth-child(5), td:nth-child(5) { display: none; }
  td:nth-child(3) { max-width: 76px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
}
`
