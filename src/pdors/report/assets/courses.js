/* One line per policy over time; the chosen one is drawn on top and bold. */
function drawCourse(id, title, values, { show = number, ...scale } = {}) {
  const shownPolicies = policies.filter((policy) => values(policy));
  const edges = data.points;
  draw(id, 240, `${title} over time, one line per policy`, {
    grid: { left: 8, right: 16, top: 12, bottom: 26, containLabel: true },
    xAxis: axis(slotTitle, { min: 0, max: data.slots, splitLine: { show: false } }),
    yAxis: axis("", { min: 0, ...scale, axisLabel: { formatter: show === number ? rounded : show } }),
    tooltip: {
      trigger: "axis", axisPointer: { type: "line", lineStyle: { color: styled("soft") } },
      formatter: (points) => courseTip(points, shownPolicies, values, show),
    },
    series: shownPolicies.map((policy) => {
      const chosen = policy === state.policy;
      const own = values(policy);
      return {
        type: "line", name: policy, step: "end", symbol: "none", z: chosen ? 10 : 2, silent: true,
        data: edges.map((edge, at) => [edge, own[Math.min(at, own.length - 1)]]),
        lineStyle: { color: colourOf(policy), width: chosen ? 2.8 : 1.3, opacity: chosen ? 1 : 0.75 },
        itemStyle: { color: colourOf(policy) },
      };
    }),
  });
}

function courseTip(points, shownPolicies, values, show) {
  const at = Math.min(points[0].dataIndex, data.points.length - 2);
  const rows = shownPolicies
    .map((policy) => [policy, values(policy)[at]])
    .filter(([, value]) => isNumber(value))
    .sort(([, a], [, b]) => b - a);
  return tip(slotsFrom(data.points[at], data.points[at + 1]), rows.map(([policy, value]) => tipRow(policy, show(value), { policy, chosen: policy === state.policy })));
}

function drawCourses() {
  const { resource } = state;
  const course = (policy) => data.details[policy].course;
  const counts = { minInterval: 1, max: (own) => (own.max < 1 ? 1 : null) };
  const havePrices = policies.some((policy) => course(policy).prices);
  const width = Math.max(...data.points.slice(1).map((edge, at) => edge - data.points[at]));
  const binned = width > 1 ? `, mean of ${width} slots` : "";
  byId("use-heading").textContent = `Use of ${shown(resource)}, % of the cluster${binned}`;
  byId("price-heading").textContent = `Price of a unit of ${shown(resource)} for a slot, utility${binned}`;
  byId("training-heading").textContent = `Jobs that hold workers, number${binned}`;
  byId("waiting-heading").textContent = `Admitted jobs that wait, number${binned}`;
  byId("price-card").hidden = !havePrices;
  byId("course-cards").classList.toggle("of-three", !havePrices);
  drawCourse("use-chart", `Use of ${resource}`, (policy) => course(policy).use[resource], { show: percent, max: 1 });
  if (havePrices) drawCourse("price-chart", `Price of ${resource}`, (policy) => course(policy).prices?.[resource]);
  drawCourse("training-chart", "Jobs that hold workers", (policy) => course(policy).training, counts);
  drawCourse("waiting-chart", "Jobs that wait", (policy) => course(policy).waiting, counts);
  byId("course-legend").replaceChildren(...policies.map((policy) => {
    const item = legendItem(swatch(policy), nameOf(policy));
    item.classList.toggle("chosen", policy === state.policy);
    return item;
  }));
}
