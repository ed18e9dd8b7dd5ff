// Regret minimization at an iteration as an SVG text: strategies as bars, regrets, and how exploitability falls.

const escaped = (text) => String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

function word(x, y, words, fill, more = "") {
  return `<text x="${x}" y="${y}" fill="${fill}" ${more}>${escaped(words)}</text>`;
}

/** How far exploitability has fallen, on a logarithmic scale. */
function curve(story, step, x, y, width, height, colours, font) {
  const values = story.curve.map((v) => Math.log10(Math.max(v, 1e-9)));
  const shown = values.slice(0, step + 1);
  const top = Math.max(...values), low = Math.min(...values, top - 1);
  const px = (i) => x + (i / Math.max(values.length - 1, 1)) * width;
  const py = (v) => y + ((top - v) / (top - low)) * height;
  const points = shown.map((v, i) => `${px(i).toFixed(1)},${py(v).toFixed(1)}`).join(" ");
  return [
    `<line x1="${x}" y1="${y}" x2="${x}" y2="${y + height}" stroke="${colours.line}"/>`,
    `<line x1="${x}" y1="${y + height}" x2="${x + width}" y2="${y + height}" stroke="${colours.line}"/>`,
    `<polyline points="${points}" fill="none" stroke="${colours.now}" stroke-width="3"/>`,
    `<circle cx="${px(step)}" cy="${py(shown[step])}" r="5" fill="${colours.now}"/>`,
    word(x + width, y + font, `exploitability ${Number(story.curve[step].toPrecision(3))}`, colours.ink, 'font-weight="700" text-anchor="end"'),
    word(x, y + height + 1.2 * font, "iteration 0", colours.dim),
    word(x + width, y + height + 1.2 * font, String(values.length - 1), colours.dim, 'text-anchor="end"'),
  ].join("");
}

/** The picture: for each information set, its actions with regret, current strategy and average, each as a bar. */
export function trainingDrawing(story, step, size, colours) {
  const narrow = size.width < 640;
  const font = size.font * (narrow ? 0.9 : 1), row = font * 1.5, now = story.steps[step];
  const width = size.width, barred = Math.max((width - (narrow ? 11 : 17) * font) / 3, 60);
  const left = narrow ? 7 * font : 13 * font, step1 = barred + font;
  const most = Math.max(1e-9, ...now.regrets.map(Math.abs));
  const parts = [], chart = Math.min(size.height * 0.35, 200);
  parts.push(curve(story, step, font, font * 0.6, width - 2 * font, chart, colours, font));
  let y = chart + font * 4;
  ["regret", "strategy now", "average"].forEach((name, i) =>
    parts.push(word(left + i * step1, y, name, colours.dim)));
  const draw = (set, name) => {
    y += row * 1.2;
    parts.push(name);
    set.actions.forEach((action, i) => {
      y += row;
      const k = set.start + i;
      parts.push(word(font * 1.2, y, action, colours.ink));
      const numbers = [[now.regrets[k], Math.abs(now.regrets[k]) / most], [now.strategy[k], now.strategy[k]], [now.average[k], now.average[k]]];
      numbers.forEach(([value, share], j) => {
        const at = left + j * step1, fill = j === 0 ? (value < 0 ? colours.players[0] : colours.fresh) : colours.players[1];
        parts.push(`<rect x="${at}" y="${y - 0.85 * font}" width="${Math.max(share, 0) * (barred - 4 * font)}" height="${font}" fill="${fill}"/>`);
        parts.push(word(at + Math.max(share, 0) * (barred - 4 * font) + 0.3 * font, y, value.toFixed(3), colours.ink));
      });
    });
  };
  const title = (set, words, fill) => word(font * 0.5, y + row * 1.2, words, fill, 'font-weight="700"');
  const rows = Math.max(...story.sets.map((set) => set.actions.length)), below = y + row * (rows + 1.6);
  const moved = story.sets[now.moved ?? -1];  // the sentence's subject, always in the same place
  if (moved) draw(moved, title(moved, `${moved.text}: moved most`, colours.now));
  else parts.push(word(font * 0.5, y + row * 1.2, "no strategy has moved yet", colours.dim));
  y = below;
  parts.push(`<line x1="${font * 0.5}" y1="${y}" x2="${width - font}" y2="${y}" stroke="${colours.line}"/>`);
  for (const set of story.sets)
    draw(set, `<g data-set="1">${title(set, set.text, colours.players[set.player % colours.players.length])}</g>`);
  const height = y + font * 2;
  const head = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  const paper = `<rect width="${width}" height="${height}" fill="${colours.paper}"/>`;
  return { svg: `${head} font-family="Roboto, system-ui, Helvetica, Arial, sans-serif" font-size="${font}">${paper}${parts.join("")}</svg>`,
    width, height, nowX: 0, nowY: 0 };
}
