/* A choice of one, as radio buttons: arrow keys move it. */
function choice(box, title, options, chosen, onChoose) {
  const group = element("fieldset", {}, element("legend", { className: "quiet" }, title));
  const row = element("div", { className: "choice" });
  for (const { value, label, policy } of options) {
    const input = element("input", { type: "radio", name: box.id, value, checked: value === chosen });
    input.addEventListener("change", () => {
      onChoose(value);
      input.scrollIntoView({ block: "nearest", inline: "nearest" });
    });
    row.append(element("label", {}, input, element("span", {}, policy && swatch(policy), nameOf(label))));
  }
  group.append(row);
  box.replaceChildren(group);
}

function tipRow(label, value, { policy, chosen } = {}) {
  const made = element("div", { className: chosen ? "row chosen" : "row" });
  made.append(element("span", {}, policy ? swatch(policy) : null, shown(label)), element("span", {}, shown(value)));
  return made;
}

function tip(title, rows) {
  return element("div", {}, element("strong", {}, shown(title)), ...rows);
}

function legendItem(symbol, words) {
  return element("span", { className: "item" }, symbol, words);
}

function ramp(colours, from, to) {
  const bar = element("span", { className: "ramp" });
  bar.style.background = `linear-gradient(to right, ${colours.join(", ")})`;
  return element("span", { className: "item" }, element("span", {}, from), bar, element("span", {}, to));
}

function patch(colour) {
  const made = element("span", { className: "swatch" });
  made.style.background = colour;
  return made;
}

function toolButton(text, title, onClick) {
  const made = element("button", { type: "button", title }, text);
  made.setAttribute("aria-label", title);
  made.addEventListener("click", onClick);
  return made;
}
