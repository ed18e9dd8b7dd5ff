// Pictures of steps as files, made in the browser: SVG, PNG, an animated GIF and a PDF with a page for each step.

/** Offer a file for download. */
export function save(name, content, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content].flat(), { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** An SVG text as a canvas of a width and a height, fitted and centred on the paper. */
export async function painted(svg, width, height, paper) {
  const image = new Image();
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg);
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width, height];
  const brush = canvas.getContext("2d", { willReadFrequently: true });
  brush.fillStyle = paper;
  brush.fillRect(0, 0, width, height);
  const scale = Math.min(width / image.width, height / image.height);
  brush.drawImage(image, (width - image.width * scale) / 2, (height - image.height * scale) / 2, image.width * scale, image.height * scale);
  return canvas;
}

/** A canvas as the bytes of a PNG or a JPEG. */
export function bytesOf(canvas, type) {
  return new Promise((done) => canvas.toBlob(async (blob) => done(new Uint8Array(await blob.arrayBuffer())), type, 0.92));
}

/** Let the page do other things for a moment. */
const breath = () => new Promise((done) => setTimeout(done));
const STRIDE = 7;  // one pixel in this many is sampled to find the colours

/** An animated GIF of canvases of one size, each shown for some hundredths of a second. */
export async function gif(canvases, hundredths) {
  const { width, height } = canvases[0];
  const out = [];
  const word = (n) => out.push(n & 255, n >> 8);
  out.push(..."GIF89a".split("").map((c) => c.charCodeAt(0)));
  word(width); word(height);
  out.push(0xf7, 0, 0);
  const palette = commonColours(canvases);
  for (let i = 0; i < 256; i++) { const c = palette.list[i] ?? 0; out.push(c >> 16, (c >> 8) & 255, c & 255); }
  out.push(0x21, 0xff, 11, ..."NETSCAPE2.0".split("").map((c) => c.charCodeAt(0)), 3, 1, 0, 0, 0);
  for (const canvas of canvases) {
    await breath();
    out.push(0x21, 0xf9, 4, 0); word(hundredths); out.push(0, 0);
    out.push(0x2c); word(0); word(0); word(width); word(height); out.push(0);
    const pixels = canvas.getContext("2d").getImageData(0, 0, width, height).data;
    const numbers = new Uint8Array(width * height);
    for (let i = 0; i < numbers.length; i++) {
      numbers[i] = palette.nearest((pixels[4 * i] << 16) | (pixels[4 * i + 1] << 8) | pixels[4 * i + 2]);
    }
    out.push(8);
    const packed = compressed(numbers);
    for (let i = 0; i < packed.length; i += 255) {
      const block = packed.slice(i, i + 255);
      out.push(block.length, ...block);
    }
    out.push(0);
  }
  out.push(0x3b);
  return new Uint8Array(out);
}

/** The 256 most frequent colours of some pictures, and the nearest of them for any colour. */
function commonColours(canvases) {
  const counts = new Map();
  for (const canvas of canvases) {
    const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    for (let i = 0; i < pixels.length; i += 4 * STRIDE) {
      const colour = (pixels[i] << 16) | (pixels[i + 1] << 8) | pixels[i + 2];
      counts.set(colour, (counts.get(colour) ?? 0) + 1);
    }
  }
  const list = [...counts.entries()].sort((a, b) => b[1] - a[1]).slice(0, 256).map(([colour]) => colour);
  const known = new Map(list.map((colour, i) => [colour, i]));
  const nearest = (colour) => {
    if (!known.has(colour)) {
      let best = 0, least = Infinity;
      list.forEach((other, i) => {
        const away = ((other >> 16) - (colour >> 16)) ** 2 + (((other >> 8) & 255) - ((colour >> 8) & 255)) ** 2 + ((other & 255) - (colour & 255)) ** 2;
        if (away < least) [best, least] = [i, away];
      });
      known.set(colour, best);
    }
    return known.get(colour);
  };
  return { list, nearest };
}

/** Lempel-Ziv-Welch compression, as in GIF, for 8-bit numbers. */
function compressed(numbers) {
  const CLEAR = 256, END = 257, out = [];
  let bits = 0, held = 0, size = 9, codes = new Map(), next = 258;
  const put = (code) => {
    held |= code << bits;
    bits += size;
    while (bits >= 8) { out.push(held & 255); held >>>= 8; bits -= 8; }
  };
  put(CLEAR);
  let prefix = numbers[0];
  for (let i = 1; i < numbers.length; i++) {
    const key = prefix * 256 + numbers[i];
    if (codes.has(key)) { prefix = codes.get(key); continue; }
    put(prefix);
    codes.set(key, next++);
    if (next > 1 << size) size++;
    if (next > 4095) { put(CLEAR); codes = new Map(); next = 258; size = 9; }
    prefix = numbers[i];
  }
  put(prefix);
  put(END);
  if (bits) out.push(held & 255);
  return out;
}

/** A PDF with a JPEG and a sentence on each page: pages are [{jpeg, width, height, words}]. */
export function pdf(pages) {
  const encoder = new TextEncoder(), parts = [], places = [];
  let length = 0;
  const add = (piece) => { const bytes = typeof piece === "string" ? encoder.encode(piece) : piece; parts.push(bytes); length += bytes.length; };
  const object = (n, ...pieces) => { places[n] = length; add(`${n} 0 obj\n`); pieces.forEach(add); add("\nendobj\n"); };
  add("%PDF-1.4\n");
  object(1, "<< /Type /Catalog /Pages 2 0 R >>");
  object(2, `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, i) => `${3 + 3 * i} 0 R`).join(" ")}] >>`);
  pages.forEach(({ jpeg, width, height }, i) => {
    const [page, content, image] = [3 + 3 * i, 4 + 3 * i, 5 + 3 * i];
    object(page, `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 960 540] /Contents ${content} 0 R /Resources << /XObject << /Im ${image} 0 R >> >> >>`);
    const draw = `q 960 0 0 540 0 0 cm /Im Do Q`;
    object(content, `<< /Length ${draw.length} >>\nstream\n${draw}\nendstream`);
    object(image, `<< /Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceRGB /BitsPerComponent 8 ` +
      `/Filter /DCTDecode /Length ${jpeg.length} >>\nstream\n`, jpeg, "\nendstream");
  });
  const start = length, count = 3 + 3 * pages.length;
  add(`xref\n0 ${count}\n0000000000 65535 f \n`);
  for (let n = 1; n < count; n++) add(`${String(places[n]).padStart(10, "0")} 00000 n \n`);
  add(`trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`);
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) { whole.set(part, at); at += part.length; }
  return whole;
}

/** A step as a slide of 1920 x 1080: the picture, and its sentence below. */
export async function slide(draw, words, colours, width = 1920, height = 1080) {
  const scale = width / 1280, band = 110 * scale;
  const { svg } = draw({ width: 1280 - 40, height: (height - band) / scale - 30, font: 20 });
  const canvas = await painted(svg, width, height - band, colours.paper);
  const whole = document.createElement("canvas");
  [whole.width, whole.height] = [width, height];
  const brush = whole.getContext("2d", { willReadFrequently: true });
  brush.fillStyle = colours.paper;
  brush.fillRect(0, 0, width, height);
  brush.drawImage(canvas, 0, 0);
  brush.fillStyle = colours.ink;
  let size = 26 * scale, lines;
  do {
    brush.font = `${size}px system-ui, Helvetica, Arial, sans-serif`;
    lines = wrapped(brush, words, width - 60 * scale);
    size *= 0.92;
  } while (lines.length * size * 1.4 > band);
  brush.textAlign = "center";
  lines.forEach((line, i) => brush.fillText(line, width / 2, height - band + size * 1.3 * (i + 1)));
  return whole;
}

function wrapped(brush, words, width) {
  const lines = [""];
  for (const word of words.split(" ")) {
    const longer = lines[lines.length - 1] ? `${lines[lines.length - 1]} ${word}` : word;
    if (brush.measureText(longer).width > width && lines[lines.length - 1]) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}
