/** The front end of `darkqi.widget` in notebooks: shows what Python draws, and sends what is pressed. */

import type { AnyModel, Render } from "@anywidget/types";
import "./widget.css";

/** What Python and the page share; `python/darkqi/widget.py` says what each means. */
interface Model {
  picture: string;
  message: string;
  buttons: string[];
  takes_moves: boolean;
  ply: number;
  last_ply: number;
}

/** Milliseconds between plies while a game plays by itself. */
const PACE = 1000;

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]> = {},
  ...children: Node[]
): HTMLElementTagNameMap[Name] {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** Draws a part now and whenever one of the traits changes, until the signal. */
function follow(
  model: AnyModel<Model>,
  traits: (keyof Model)[],
  signal: AbortSignal,
  draw: () => void,
): void {
  for (const trait of traits) {
    model.on(`change:${trait}`, draw);
    signal.addEventListener("abort", () => model.off(`change:${trait}`, draw));
  }
  draw();
}

/** The board. A click is sent as a point of the drawing. */
function board(model: AnyModel<Model>, signal: AbortSignal): HTMLElement {
  const drawn = element("div", { className: "darkqi-board" });
  follow(model, ["picture"], signal, () => (drawn.innerHTML = model.get("picture")));
  drawn.addEventListener("click", ({ clientX, clientY }) => {
    const scale = drawn.querySelector("svg")?.getScreenCTM()?.inverse();
    if (!scale) return;
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(scale);
    model.send({ click: [x, y] });
  });
  return drawn;
}

/** A field for moves by their names, for the keyboard. */
function moveField(model: AnyModel<Model>): HTMLElement {
  const field = element("input", { placeholder: "move, such as b3e3", size: 18 });
  field.setAttribute("aria-label", "move");
  const form = element("form", {}, field, element("button", { textContent: "Play" }));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    model.send({ move: field.value });
    field.value = "";
  });
  return form;
}

function buttons(model: AnyModel<Model>, signal: AbortSignal): HTMLElement {
  const row = element("div", { className: "darkqi-buttons" });
  follow(model, ["buttons"], signal, () => {
    const made = model.get("buttons").map((label) => {
      const onclick = () => model.send({ press: label });
      return element("button", { textContent: label, type: "button", onclick });
    });
    row.replaceChildren(...made);
  });
  return row;
}

/** Steps through a game, by hand or by itself. */
function steps(model: AnyModel<Model>, signal: AbortSignal): HTMLElement {
  let timer: ReturnType<typeof setInterval> | undefined;
  const last = model.get("last_ply");
  const go = (ply: number) => {
    model.set("ply", Math.min(Math.max(ply, 0), last));
    model.save_changes();
  };
  const slider = element("input", { type: "range", min: "0", max: String(last) });
  slider.setAttribute("aria-label", "ply");
  slider.addEventListener("input", () => go(Number(slider.value)));
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
    playing.textContent = "Play";
  };
  const start = () => {
    if (model.get("ply") === last) go(0);
    playing.textContent = "Pause";
    timer = setInterval(() => {
      go(model.get("ply") + 1);
      if (model.get("ply") === last) stop();
    }, PACE);
  };
  const press = (label: string, onclick: () => void) =>
    element("button", { textContent: label, type: "button", onclick });
  const playing = press("Play", () => (timer === undefined ? start() : stop()));
  signal.addEventListener("abort", stop);
  follow(model, ["ply"], signal, () => (slider.value = String(model.get("ply"))));
  const back = press("Back", () => go(model.get("ply") - 1));
  const forward = press("Forward", () => go(model.get("ply") + 1));
  return element("div", { className: "darkqi-buttons" }, back, playing, forward, slider);
}

const render: Render<Model> = ({ model, el, signal }) => {
  const message = element("p", { className: "darkqi-message" });
  message.setAttribute("aria-live", "polite");
  follow(model, ["message"], signal, () => (message.textContent = model.get("message")));
  el.classList.add("darkqi");
  el.append(board(model, signal), message);
  if (model.get("takes_moves")) el.append(moveField(model));
  if (model.get("last_ply") > 0) el.append(steps(model, signal));
  el.append(buttons(model, signal));
};

export default { render };
