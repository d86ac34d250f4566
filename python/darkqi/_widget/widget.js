function e(e, t = {}, ...n) {
	let r = Object.assign(document.createElement(e), t);
	return r.append(...n), r;
}
function t(e, t, n, r) {
	for (let i of t) e.on(`change:${i}`, r), n.addEventListener("abort", () => e.off(`change:${i}`, r));
	r();
}
function n(n, r) {
	let i = e("div", { className: "darkqi-board" });
	return t(n, ["picture"], r, () => i.innerHTML = n.get("picture")), i.addEventListener("click", ({ clientX: e, clientY: t }) => {
		let r = i.querySelector("svg")?.getScreenCTM()?.inverse();
		if (!r) return;
		let { x: a, y: o } = new DOMPoint(e, t).matrixTransform(r);
		n.send({ click: [a, o] });
	}), i;
}
function r(t) {
	let n = e("input", {
		placeholder: "move, such as b3e3",
		size: 18
	});
	n.setAttribute("aria-label", "move");
	let r = e("form", {}, n, e("button", { textContent: "Play" }));
	return r.addEventListener("submit", (e) => {
		e.preventDefault(), t.send({ move: n.value }), n.value = "";
	}), r;
}
function i(n, r) {
	let i = e("div", { className: "darkqi-buttons" });
	return t(n, ["buttons"], r, () => {
		let t = n.get("buttons").map((t) => e("button", {
			textContent: t,
			type: "button",
			onclick: () => n.send({ press: t })
		}));
		i.replaceChildren(...t);
	}), i;
}
function a(n, r) {
	let i, a = n.get("last_ply"), o = (e) => {
		n.set("ply", Math.min(Math.max(e, 0), a)), n.save_changes();
	}, s = e("input", {
		type: "range",
		min: "0",
		max: String(a)
	});
	s.setAttribute("aria-label", "ply"), s.addEventListener("input", () => o(Number(s.value)));
	let c = () => {
		clearInterval(i), i = void 0, d.textContent = "Play";
	}, l = () => {
		n.get("ply") === a && o(0), d.textContent = "Pause", i = setInterval(() => {
			o(n.get("ply") + 1), n.get("ply") === a && c();
		}, 1e3);
	}, u = (t, n) => e("button", {
		textContent: t,
		type: "button",
		onclick: n
	}), d = u("Play", () => i === void 0 ? l() : c());
	return r.addEventListener("abort", c), t(n, ["ply"], r, () => s.value = String(n.get("ply"))), e("div", { className: "darkqi-buttons" }, u("Back", () => o(n.get("ply") - 1)), d, u("Forward", () => o(n.get("ply") + 1)), s);
}
var o = { render: ({ model: o, el: s, signal: c }) => {
	let l = e("p", { className: "darkqi-message" });
	l.setAttribute("aria-live", "polite"), t(o, ["message"], c, () => l.textContent = o.get("message")), s.classList.add("darkqi"), s.append(n(o, c), l), o.get("takes_moves") && s.append(r(o)), o.get("last_ply") > 0 && s.append(a(o, c)), s.append(i(o, c));
} };
export { o as default };
