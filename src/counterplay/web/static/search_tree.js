// The page to watch a search on: it receives whole stories once; stepping, playing, hovering and saving need no request.
import {
  DARK, LIGHT, bytesOf, drawing, extended, gif, listsOf, partAt, pathTo, pdf, replaced, save, slide, storyOfLists, trainingDrawing,
} from "counterplay-watch";

const SPEEDS = [0.25, 0.5, 1, 2, 4, 8];
const MOST_FRAMES = 300;
const NIGHT = ".cp-paper{fill:none}.cp-ink{fill:#c9cdd6}.cp-field{fill:#2b3038}.cp-rule{stroke:#6d7684}" +
  ".cp-hexagon{fill:#d9ccb2;stroke:#5b513d}"; // boards in dark mode, as in app.css

export default {
  template: `
<section class="cpw" tabindex="-1" aria-label="a search, step by step">
  <div v-if="lists" class="cpw-builder">
    <h2 class="cpw-title">Build a tree: click a node, then change it. Max moves at the root, then they take turns.</h2>
    <div class="cpw-tree" ref="builder" @click="pick($event)"></div>
    <div class="cpw-controls">
      <label v-if="isLeaf">value <input type="number" step="any" class="cpw-value" :value="partHere" @input="change(+$event.target.value || 0)"></label>
      <button class="cpw-do-add" @click="grow">Add a move</button>
      <button class="cpw-do-remove" :disabled="!selected.length" @click="change(undefined)">Remove</button>
      <code class="cpw-lists">{{ JSON.stringify(lists) }}</code>
      <button class="cpw-main cpw-do-built" @click="watchBuilt">Watch it</button>
      <button @click="lists = null">Cancel</button>
    </div>
  </div>
  <template v-else>
  <div class="cpw-panes" :class="{ 'cpw-two': parsed.length > 1 }">
    <article v-for="(story, i) in parsed" :key="i" class="cpw-pane">
      <h2 class="cpw-title">{{ story.spec }}</h2>
      <p v-if="story.wrong" class="cpw-words cpw-wrong" role="alert">{{ story.wrong }}</p>
      <p v-else-if="!story.steps" class="cpw-words cpw-wait">{{ story.wait }}</p>
      <template v-else>
        <div class="cpw-row" :class="{ 'cpw-boarded': board(story, i) }">
          <div class="cpw-tree" ref="trees" role="img" :aria-label="words(story)" @click="fold($event, i)"
               @pointerover="point($event, i)" @pointerleave="hovered[i] = null"></div>
          <div class="cpw-side">
            <pre class="cpw-code" aria-label="pseudocode" :style="{ '--lines': story.code.length }"><code v-for="(line, n) in story.code" :key="n"
              :class="{ 'cpw-lit': lit(story).includes(n) }">{{ line + "\\n" }}</code></pre>
            <div v-if="board(story, i)" class="cpw-board">
              <img v-if="story.boards.kind === 'svg'" :src="board(story, i)" :alt="'the position ' + where(story, i)">
              <pre v-else>{{ board(story, i) }}</pre>
              <div class="cpw-dim">{{ where(story, i) }}</div>
            </div>
          </div>
        </div>
        <ul class="cpw-legend">
          <li v-for="(sign, n) in story.legend" :key="n"><span v-if="sign[0] !== 'text'" v-html="signOf(sign)" aria-hidden="true"></span>{{ sign[2] }}</li>
        </ul>
        <p class="cpw-words" aria-live="polite">{{ words(story) }}</p>
        <dl class="cpw-facts"><template v-for="[name, value] in facts(story)" :key="name"><dt>{{ name }}</dt><dd :data-fact="name">{{ value }}</dd></template></dl>
        <p v-if="story.note" class="cpw-dim cpw-note">{{ story.note }}</p>
      </template>
    </article>
  </div>
  <div class="cpw-controls" @click="release">
    <button class="cpw-do-first" aria-label="first step" title="first step (Home)" @click="go(0)">|◀</button>
    <button class="cpw-do-back" aria-label="step back" title="step back (←)" @click="go(step - 1)">‹ Back</button>
    <button class="cpw-do-play cpw-main" :aria-label="playing ? 'pause' : 'play'" title="play or pause (space)" @click="toggle">{{ playing ? "❚❚ Pause" : "▶ Play" }}</button>
    <button class="cpw-do-forward" aria-label="step forward" title="step forward (→)" @click="go(step + 1)">Next ›</button>
    <button class="cpw-do-last" aria-label="last step" title="last step (End)" @click="go(last)">▶|</button>
    <input type="range" class="cpw-slider" aria-label="step" min="0" :max="Math.max(last, 1)" :value="step" @input="go(+$event.target.value)">
    <span class="cpw-where">step {{ Math.min(step, last) + 1 }} of {{ last + 1 }}</span>
    <label class="cpw-speed">speed <select aria-label="speed" v-model.number="speed"><option v-for="s in speeds" :value="s">{{ s }}×</option></select></label>
    <select class="cpw-save" aria-label="save" @change="keep($event)">
      <option value="">Save …</option>
      <option value="svg">this step as SVG</option><option value="png">this step as PNG</option>
      <option value="gif">all steps as GIF</option><option value="pdf">all steps as PDF</option>
      <option value="json">the trace as JSON</option>
    </select>
    <button class="cpw-do-link" title="copy a link to this step" @click="link">{{ copied ? "Copied" : "Link" }}</button>
    <button class="cpw-do-choose" title="what is searched, and by whom" @click="$emit('choose')">Choose …</button>
    <button class="cpw-do-build" title="build a tree by clicking" @click="build">Build …</button>
    <button class="cpw-do-full" title="full screen (f)" @click="full">Full</button>
  </div>
  </template>
</section>`,
  props: { stories: String, start: Number, query: String },
  data() {
    return { step: this.start ?? 0, playing: false, speed: 1, speeds: SPEEDS, dark: false, hovered: [null, null], copied: false,
      lists: null, selected: [] };
  },
  computed: {
    parsed() { return Object.freeze(JSON.parse(this.stories || "[]").map((story) => Object.freeze(story.nodes ? { ...story, children: null } : story))); },
    partHere() { return partAt(this.lists, this.selected); },
    isLeaf() { return !Array.isArray(this.partHere); },
    last() { return Math.max(0, ...this.parsed.map((story) => (story.steps ? story.steps.length - 1 : 0))); },
  },
  created() {
    this.memory = [];  // for each pane, what the person has opened and closed; not watched by Vue
  },
  mounted() {
    this.watcher = new ResizeObserver(() => this.paint());
    this.watcher.observe(this.$el);
    const look = () => { this.dark = document.body.classList.contains("body--dark"); };
    look();
    this.theme = new MutationObserver(() => { look(); this.paint(); });
    this.theme.observe(document.body, { attributes: true, attributeFilter: ["class"] });
    this.onKey = (event) => this.key(event);
    document.addEventListener("keydown", this.onKey);
    this.paint();
  },
  updated() { this.paint(); },
  unmounted() {
    clearInterval(this.timer);
    this.watcher.disconnect();
    this.theme.disconnect();
    document.removeEventListener("keydown", this.onKey);
  },
  watch: {
    step() { this.remember(); },
    speed() { if (this.playing) { this.toggle(); this.toggle(); } },
    parsed(now, before) {  // another piece of the same search: keep the step
      const [story, old] = [now[0], before[0]];
      if (!story?.steps || !old?.steps || story.steps.length === old.steps.length) return;
      const event = old.steps[this.at(old)].event;
      const found = story.steps.findIndex((each) => each.event === event);
      if (event !== undefined && found >= 0) this.step = found;
    },
    last() { if (this.last && this.step > this.last) this.step = this.last; },
  },
  methods: {
    at(story) { return Math.min(this.step, story.steps.length - 1); },
    words(story) { return story.steps[this.at(story)].words; },
    lit(story) { return story.steps[this.at(story)].lines; },
    facts(story) { return story.steps[this.at(story)].facts; },
    colours() { return document.body.classList.contains("body--dark") ? DARK : LIGHT; },
    picture(story, i, size, colours = this.colours(), step = this.at(story)) {
      const state = this.memory[i] ??= { opened: new Set(), closed: new Set(), made: new Map() };
      if (story.kind === "training") return trainingDrawing(story, step, size, colours);
      const own = state.story?.source === story ? state.story : (state.story = { ...story, children: undefined, source: story });
      return drawing(own, step, size, colours, state);
    },
    build() {
      this.playing = false;
      clearInterval(this.timer);
      this.selected = [];
      this.lists = listsOf(new URLSearchParams(this.query).get("game"));
    },
    pick(event) {
      const k = event.target.closest?.("[data-node]")?.dataset.node;
      if (k !== undefined) this.selected = storyOfLists(this.lists, this.selected).paths[+k];
    },
    change(part) {
      this.lists = replaced(this.lists, this.selected, part);
      if (part === undefined) this.selected = this.selected.slice(0, -1);
      if (!Array.isArray(this.lists)) this.lists = [this.lists];
    },
    grow() {
      const at = Array.isArray(this.partHere) ? this.partHere.length : 1;
      this.lists = extended(this.lists, this.selected);
      this.selected = [...this.selected, at];
    },
    watchBuilt() { location.assign("/watch?" + new URLSearchParams({ game: "tree:" + JSON.stringify(this.lists) })); },
    paint() {
      const builder = this.$refs.builder;
      if (this.lists && builder) {
        const size = { width: builder.clientWidth - 2, height: Math.max(builder.clientHeight - 4, 200), font: builder.clientWidth < 480 ? 15 : 20 };
        builder.innerHTML = drawing(storyOfLists(this.lists, this.selected), 0, size, this.colours()).svg;
        return;
      }
      let n = 0;
      this.parsed.forEach((story, i) => {
        if (!story.steps) return;
        const box = this.$refs.trees?.[n++];
        if (!box) return;
        const width = box.clientWidth || 300;
        const font = width < 480 ? 15 : 20;
        const drawn = this.picture(story, i, { width: width - 2, height: Math.max(box.clientHeight - 4, 200), font });
        if (box.shown !== drawn.svg) {
          box.innerHTML = drawn.svg;
          box.shown = drawn.svg;
          if (drawn.width > width) box.scrollLeft = drawn.nowX - width / 2;
          if (drawn.height > box.clientHeight + 4 && story.kind === "tree") box.scrollTop = drawn.nowY - box.clientHeight / 2;
        }
      });
    },
    release(event) {  // a button clicked with the pointer must not capture the space key
      if (event.detail && event.target.closest("button")) document.activeElement?.blur();
    },
    go(step) { this.step = Math.max(0, Math.min(step, this.last)); },
    toggle() {
      this.playing = !this.playing;
      clearInterval(this.timer);
      if (!this.playing) return;
      if (this.step >= this.last) this.step = 0;
      this.timer = setInterval(() => { if (this.step >= this.last) this.toggle(); else this.go(this.step + 1); }, 1600 / this.speed);
    },
    key(event) {
      if (this.lists || event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input:not(.cpw-slider), textarea, select, .q-dialog")) return;
      const does = {
        ArrowRight: () => this.go(this.step + 1), ArrowLeft: () => this.go(this.step - 1), Home: () => this.go(0),
        End: () => this.go(this.last), " ": () => this.toggle(), f: () => this.full(),
        "+": () => { this.speed = SPEEDS[Math.min(SPEEDS.indexOf(this.speed) + 1, SPEEDS.length - 1)]; },
        "-": () => { this.speed = SPEEDS[Math.max(SPEEDS.indexOf(this.speed) - 1, 0)]; },
      }[event.key];
      if (!does || (event.key === " " && event.target.closest?.("button"))) return;
      event.preventDefault();
      does();
    },
    fold(event, i) {
      const k = event.target.closest?.("[data-node]")?.dataset.node;
      if (k === undefined) return;
      const { opened, closed } = this.memory[i], node = +k, story = this.parsed[i];
      const more = story.nodes[node][5];
      if (more) { this.$emit("expand", [i, more[0]]); return; }
      const folded = event.target.closest("[data-node]").querySelector("text:last-of-type")?.textContent.startsWith("+");
      if (folded) { opened.add(node); closed.delete(node); } else { closed.add(node); opened.delete(node); }
      this.paint();
    },
    point(event, i) {
      const k = event.target.closest?.("[data-node]")?.dataset.node;
      this.hovered[i] = k === undefined ? null : +k;
    },
    seen(story, i) { return this.hovered[i] ?? story.steps[this.at(story)].at; },
    where(story, i) { return pathTo(story, this.seen(story, i)).slice(1).map((k) => story.nodes[k][1]).join(" ") || "at the root"; },
    board(story, i) {
      if (!story.boards || story.boards.kind === "none") return "";
      const found = story.boards.all[story.boards.of[this.seen(story, i)]];
      if (story.boards.kind !== "svg" || !found) return found;
      const board = found.map((n) => story.boards.parts[n]).join("");
      return "data:image/svg+xml;charset=utf-8," + encodeURIComponent(this.dark ? board.replace(">", `><style>${NIGHT}</style>`) : board);
    },
    signOf([shape, player]) {
      const c = this.colours(), fill = c.players[player % c.players.length], look = `stroke="${c.ink}"`;
      const inside = {
        max: `<polygon points="11,3 2,19 20,19" fill="${fill}" ${look}/>`, min: `<polygon points="11,19 2,3 20,3" fill="${fill}" ${look}/>`,
        player: `<circle cx="11" cy="11" r="8" fill="${fill}" ${look}/>`, chance: `<circle cx="11" cy="11" r="8" fill="none" ${look}/>`,
        end: `<rect x="3" y="4" width="16" height="14" rx="3" fill="${c.end}" ${look}/>`,
        pruned: `<line x1="3" y1="14" x2="19" y2="8" ${look} stroke-width="2"/><line x1="3" y1="19" x2="19" y2="13" ${look} stroke-width="2"/>`,
        bar: `<rect x="2" y="6" width="18" height="10" fill="${fill}"/>`,
      }[shape] ?? "";
      return `<svg width="22" height="22" viewBox="0 0 22 22">${inside}</svg>`;
    },
    remember() {
      const query = new URLSearchParams(this.query);
      query.set("step", this.step + 1);
      history.replaceState(history.state, "", `${location.pathname}?${query}`);
    },
    async link() {
      this.remember();
      try { await navigator.clipboard.writeText(location.href); } catch { prompt("The link to this step", location.href); }
      this.copied = true;
      setTimeout(() => (this.copied = false), 1500);
    },
    full() { if (document.fullscreenElement) document.exitFullscreen(); else this.$el.requestFullscreen(); },
    async keep(event) {
      const what = event.target.value, story = this.parsed.find((each) => each.steps), i = this.parsed.indexOf(story);
      event.target.value = "";
      if (!story) return;
      if (what === "json") { this.$emit("keep", i); return; }
      const step = this.at(story), colours = LIGHT;
      const draw = (n) => (size) => this.picture(story, i, size, colours, n);
      if (what === "svg") save(`step-${step + 1}.svg`, draw(step)({ width: 1240, height: 640, font: 20 }).svg, "image/svg+xml");
      if (what === "png") save(`step-${step + 1}.png`, await bytesOf(await slide(draw(step), story.steps[step].words, colours), "image/png"), "image/png");
      const count = Math.min(story.steps.length, MOST_FRAMES), frames = [];
      if (what === "gif") {
        for (let n = 0; n < count; n++) frames.push(await slide(draw(n), story.steps[n].words, colours, 960, 540));
        save("search.gif", await gif(frames, Math.round(160 / this.speed)), "image/gif");
      }
      if (what === "pdf") {
        for (let n = 0; n < count; n++) {
          const canvas = await slide(draw(n), story.steps[n].words, colours);
          frames.push({ jpeg: await bytesOf(canvas, "image/jpeg"), width: canvas.width, height: canvas.height });
        }
        save("search.pdf", pdf(frames), "application/pdf");
      }
    },
  },
};
