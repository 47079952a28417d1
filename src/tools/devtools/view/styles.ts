/** The styles of the panel, for its shadow root. No element has a style of its own, which a strict CSP would forbid. */
export const STYLES = `
:host {
  all: initial;
  color-scheme: light dark;
  --canvas: light-dark(#ffffff, #15181d);
  --sunken: light-dark(#f1f3f6, #1b1f26);
  --line: light-dark(#dde1e7, #2b313b);
  --line-strong: light-dark(#8a93a2, #69727f);
  --text: light-dark(#171b22, #e8ebf0);
  --muted: light-dark(#555e6d, #a2abb9);
  --accent: light-dark(#3d57d6, #93a5ff);
  --accent-soft: light-dark(#dde3fb, #262f55);
  --success: light-dark(#177245, #58c88f);
  --warning: light-dark(#8a5a00, #e0b04c);
  --warning-soft: light-dark(#f6e7c8, #43371d);
  --danger: light-dark(#bb2d26, #ff8f87);
  font: 13px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  color: var(--text);
}
:host([data-theme="light"]) { color-scheme: light; }
:host([data-theme="dark"]) { color-scheme: dark; }
:host(:not([data-position])) { display: block; height: 100%; }
*, ::before, ::after { box-sizing: border-box; }
[hidden] { display: none !important; }
ul, dl, dd, p, h3, figure { margin: 0; padding: 0; list-style: none; font: inherit; }
button {
  padding: 4px 10px;
  border: 1px solid var(--line-strong);
  border-radius: 6px;
  background: var(--canvas);
  color: inherit;
  font: inherit;
  cursor: pointer;
}
button:hover:not(:disabled, [aria-pressed="true"]) { background: var(--sunken); }
@media (pointer: coarse) { button { min-width: 44px; min-height: 44px; } }
button:disabled { color: var(--muted); cursor: not-allowed; }
button[aria-pressed="true"] { border-color: var(--warning); background: var(--warning-soft); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
[data-tone] { --tone: var(--muted); }
[data-tone="active"] { --tone: var(--accent); }
[data-tone="success"] { --tone: var(--success); }
[data-tone="warning"] { --tone: var(--warning); }
[data-tone="danger"] { --tone: var(--danger); }

.toggle, :host([data-position]) .panel { position: fixed; z-index: 2147483000; }
.toggle { padding: 6px 12px; border-radius: 16px; box-shadow: 0 2px 8px rgb(0 0 0 / 0.2); font-weight: 600; }
.toggle:focus-visible { outline-offset: 2px; }
:host([data-position^="bottom"]) .toggle { bottom: 12px; }
:host([data-position^="top"]) .toggle { top: 12px; }
:host([data-position$="left"]) .toggle { left: 12px; }
:host([data-position$="right"]) .toggle { right: 12px; }

.panel {
  container-type: inline-size;
  display: flex;
  flex-direction: column;
  height: 100%;
  min-height: 240px;
  background: var(--canvas);
}
:host([data-position]) .panel { left: 0; right: 0; height: min(54vh, 560px); box-shadow: 0 0 24px rgb(0 0 0 / 0.25); }
:host([data-position^="bottom"]) .panel { bottom: 0; border-top: 1px solid var(--line-strong); }
:host([data-position^="top"]) .panel { top: 0; border-bottom: 1px solid var(--line-strong); }

.bar {
  display: grid;
  grid-template-columns: auto minmax(0, 1fr) auto;
  align-items: center;
  gap: 4px 16px;
  padding: 0 12px 0 4px;
  border-bottom: 1px solid var(--line);
}
[role="tablist"] { display: flex; }
[role="tab"] { padding: 9px 12px 7px; border: 0; border-bottom: 2px solid transparent; border-radius: 0; color: var(--muted); }
[role="tab"][aria-selected="true"] { border-bottom-color: var(--accent); color: var(--text); font-weight: 600; }
.summary { display: flex; flex-wrap: wrap; gap: 0 16px; color: var(--muted); font-size: 12px; }
.summary b { color: var(--tone); font-weight: 600; }

.edge { flex: none; height: 8px; margin-bottom: -8px; z-index: 1; cursor: ns-resize; touch-action: none; }
.edge:hover, .edge:focus-visible { background: var(--accent-soft); }
:host([data-position^="top"]) .edge { order: 1; margin: -8px 0 0; }
.close { border-color: transparent; font-size: 16px; line-height: 1; padding: 5px 9px; }

.view { flex: 1; min-height: 0; }
.view > * { height: 100%; }
.wires { display: flex; flex-direction: column; }
.wires > .chooser { flex: 1; min-height: 0; }
.advice { padding: 8px 12px; color: var(--muted); border-bottom: 1px solid var(--line); }
[data-earlier] > td { color: var(--muted); }
.chooser { display: grid; grid-template-columns: minmax(220px, 30%) minmax(0, 1fr); }
.lists { overflow: auto; border-right: 1px solid var(--line); }
.detail, .faults { overflow: auto; padding: 12px; }

.calls-bar { display: flex; flex-wrap: wrap; gap: 4px; padding: 6px 8px; border-bottom: 1px solid var(--line); position: sticky; top: 0; background: var(--canvas); z-index: 1; }
.calls-bar input { flex: 1; min-width: 80px; padding: 4px 8px; border: 1px solid var(--line-strong); border-radius: 6px; background: var(--canvas); color: inherit; font: inherit; }
.loaded:empty { display: none; }
.loaded { flex-basis: 100%; color: var(--danger); }
.actions { display: flex; flex-wrap: wrap; align-items: center; gap: 6px; margin-bottom: 10px; }
.bodies { display: grid; gap: 8px; margin-top: 10px; }
.bodies h3 { margin: 0; color: var(--muted); font-weight: 400; }
.bodies pre { max-height: 220px; overflow: auto; }
.empty { padding: 12px; color: var(--muted); }
.detail > .empty { padding: 0; }
.more { display: block; width: calc(100% - 24px); margin: 8px 12px; }

.option {
  display: grid;
  grid-template-columns: minmax(0, 1fr) auto;
  gap: 0 8px;
  padding: 5px 12px;
  border-bottom: 1px solid var(--line);
  border-left: 3px solid var(--tone);
  cursor: pointer;
}
.option:hover { background: var(--sunken); }
.option[aria-selected="true"] { background: var(--accent-soft); }
.option > * { overflow: hidden; min-height: 19px; text-overflow: ellipsis; white-space: nowrap; }
.title { font-weight: 600; }
.badge, .note { text-align: end; }
.badge { color: var(--tone); }
.text, .note { color: var(--muted); font-size: 12px; }
.text:has(+ .note:empty) { grid-column: 1 / -1; }
.note:empty { display: none; }
.option[aria-selected="true"] :is(.text, .note) { color: var(--text); }
.badge, .note, .time, dd { font-variant-numeric: tabular-nums; }

progress { display: block; width: 100%; height: 6px; margin-bottom: 8px; accent-color: var(--accent); }
progress:not([data-known]) { visibility: hidden; }
.call[data-ended] > progress { display: none; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(310px, 1fr)); gap: 0 20px; }
:is(.facts, .texts) > div { display: grid; grid-template-columns: 96px minmax(0, 1fr); gap: 8px; padding: 2px 0; }
/* Texts come and go while a call runs, and nothing below them moves. */
.call:not([data-ended]) .texts { min-height: calc(2lh + 8px); }
.texts dd { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
dt { color: var(--muted); }
dd { overflow-wrap: anywhere; }
h3 { margin-bottom: 6px; font-weight: 600; overflow-wrap: anywhere; }

figure { margin-bottom: 12px; }
.plot { display: block; overflow: hidden; border-radius: 6px; background: var(--sunken); }
.plot .grid { stroke: var(--line); }
.plot text { fill: var(--muted); font-size: 11px; text-anchor: middle; font-variant-numeric: tabular-nums; }
.plot .wait { fill: var(--accent-soft); }
.plot .backoff { fill: var(--warning-soft); }
.plot .poll { stroke: var(--accent); stroke-width: 2; }
.plot .poll.failed { stroke: var(--danger); }
.plot .push { fill: var(--accent); }
.plot .next { stroke: var(--line-strong); stroke-width: 2; stroke-dasharray: 3 3; }
.plot .created { fill: var(--canvas); stroke: var(--accent); stroke-width: 2; }
.plot .end { fill: var(--text); }
.legend { display: flex; flex-wrap: wrap; gap: 2px 14px; margin-top: 4px; color: var(--muted); font-size: 12px; }
.legend li { display: flex; align-items: center; gap: 6px; }
.legend li::before { content: ""; width: 12px; height: 10px; }
.legend [data-mark="created"]::before { width: 10px; border: 2px solid var(--accent); border-radius: 50%; }
.legend [data-mark="poll"]::before { width: 2px; background: var(--accent); }
.legend [data-mark="push"]::before { width: 6px; height: 6px; border-radius: 50%; background: var(--accent); }
.legend [data-mark="wait"]::before { background: var(--accent-soft); }
.legend [data-mark="backoff"]::before { background: var(--warning-soft); }
.legend [data-mark="next"]::before { width: 0; border-left: 2px dotted var(--line-strong); }

.timeline { width: 100%; margin-top: 14px; border-collapse: collapse; table-layout: fixed; font-size: 12px; }
.timeline :is(th, td) { padding: 3px 12px 3px 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top; overflow-wrap: anywhere; }
.timeline th { color: var(--muted); font-weight: 400; }
.timeline .time { width: 98px; font-variant-numeric: tabular-nums; }
.timeline .what { width: 104px; }
.timeline .why { width: 20%; }
.timeline .waited { width: 76px; }
.timeline .next { width: 25%; }
.timeline td.outcome { color: var(--tone); }

.copy { display: flex; flex-wrap: wrap; align-items: center; gap: 8px; margin-bottom: 12px; }
.copy pre { flex-basis: 100%; }
.wire section { margin-bottom: 16px; }
pre {
  margin: 6px 0 0;
  padding: 8px 10px;
  border-radius: 6px;
  background: var(--sunken);
  white-space: pre-wrap;
  overflow-wrap: anywhere;
}
pre, [data-fact="Call"] dd { font: 12px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }

.faults ul { display: grid; gap: 8px; }
.faults li { display: grid; grid-template-columns: 190px minmax(0, 1fr); align-items: center; gap: 12px; }
.faults li span { color: var(--muted); }
.how { max-width: 75ch; margin-bottom: 12px; }

@container (max-width: 640px) {
  .bar { grid-template-columns: minmax(0, 1fr) auto; padding-right: 4px; }
  .summary { grid-row: 2; grid-column: 1 / -1; gap: 0 12px; padding: 0 0 6px 8px; }
  [role="tab"] { padding-inline: 9px; }
  .chooser { grid-template-columns: minmax(0, 1fr); grid-template-rows: minmax(92px, 34%) minmax(0, 1fr); }
  .lists { border-right: 0; border-bottom: 2px solid var(--line); }
  .facts { grid-template-columns: minmax(0, 1fr); }
  .call:not([data-ended]) .texts { min-height: calc(4lh + 8px); }
  .texts dd { height: 2lh; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; white-space: normal; }
  .timeline thead { display: none; }
  .timeline tr { display: grid; grid-template-columns: 86px minmax(0, 1fr); padding: 4px 0; border-top: 1px solid var(--line); }
  .timeline td { padding: 0; border: 0; }
  .timeline td:empty { display: none; }
  .timeline :is(.time, .what, .why, .waited, .next) { width: auto; }
  .timeline td:nth-child(n + 3) { grid-column: 2; }
  .timeline .waited::before { content: "waited "; color: var(--muted); }
  .timeline .next::before { content: "next poll "; color: var(--muted); }
  .faults li { grid-template-columns: minmax(0, 1fr); gap: 2px; }
  .faults li button { justify-self: start; }
}
@media (max-width: 640px) {
  :host([data-position]) .panel { height: min(78vh, 620px); }
}
@media (prefers-reduced-motion: no-preference) {
  button, .option { transition: background-color 0.12s; }
}
@media (forced-colors: active) {
  .option[aria-selected="true"] { outline: 2px solid Highlight; outline-offset: -3px; }
}
`
