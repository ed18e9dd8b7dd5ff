// Exercises one after another: the browser draws and takes the answers, the server grades. Trees are drawn as on Watch.
import { DARK, LIGHT, drawing } from "counterplay-watch";

export default {
  template: `
<section class="cpp" :class="{ 'cpp-only': t.only }" :aria-label="t.title + ', exercises'">
  <header v-if="!t.only" class="cpp-head">
    <h1 class="cp-game-title">{{ t.title }}</h1>
    <span class="cpp-where">exercise {{ t.at + 1 }} of {{ t.count }}</span>
    <ol class="cpp-dots" aria-hidden="true"><li v-for="(r, i) in t.results" :key="i" :class="{ 'cpp-good': r === true, 'cpp-bad': r === false, 'cpp-here': i === t.at }"></li></ol>
    <span class="cpp-score" aria-live="polite">{{ done ? right + " of " + done + " right" : "" }}</span>
    <button type="button" class="cpp-do-link" title="copy the link for a class" @click="link">{{ copied ? "Copied" : "Link for a class" }}</button>
    <a class="cpp-print" :href="'/practice/sheet?' + t.query" target="_blank">Print</a>
  </header>
  <p class="cpp-question">{{ t.question }}</p>
  <div v-if="t.figure.kind === 'tree'" class="cpp-tree" ref="tree" role="img" :aria-label="spoken" @click="pick($event)"></div>
  <table v-else-if="t.figure.kind === 'table'" class="cp-table cpp-table">
    <caption v-if="t.figure.caption">{{ t.figure.caption }}</caption>
    <thead><tr><th v-for="(cell, i) in t.figure.head" :key="i" scope="col">{{ cell }}</th></tr></thead>
    <tbody><tr v-for="row in t.figure.rows" :key="row[0]"><th scope="row">{{ row[0] }}</th><td v-for="(cell, i) in row.slice(1)" :key="i">{{ cell }}</td></tr></tbody>
  </table>
  <div v-else class="cpp-picture cp-stage" role="img" :aria-label="t.figure.alt" v-html="t.figure.svg"></div>
  <form class="cpp-form" @submit.prevent="submit" autocomplete="off">
    <div class="cpp-blanks">
      <template v-for="blank in t.blanks" :key="t.at + blank.name">
        <fieldset v-if="blank.kind === 'choice' || blank.kind === 'set'" class="cpp-blank cpp-many" :class="look(blank)" :data-blank="blank.name">
          <legend>{{ blank.label }}</legend>
          <label v-for="option in blank.options" :key="option" class="cpp-chip" :class="{ 'cpp-on': isOn(blank, option) }">
            <input :type="blank.kind === 'set' ? 'checkbox' : 'radio'" :name="blank.name" :value="option" :checked="isOn(blank, option)" :disabled="graded" @change="toggle(blank, option)">{{ option }}
          </label>
        </fieldset>
        <label v-else class="cpp-blank" :class="look(blank)" :data-blank="blank.name">
          <span>{{ blank.label }}</span>
          <input type="text" :name="blank.name" v-model="given[blank.name]" :class="{ 'cpp-wide': blank.kind === 'order' }" :placeholder="blank.kind === 'order' ? blank.options.join(' ') : ''"
                 :readonly="graded" autocapitalize="off" spellcheck="false" @focus="focused = blank.node">
          <small v-if="t.wrong[blank.name]" class="cpp-unread" role="alert">{{ t.wrong[blank.name] }}</small>
        </label>
      </template>
    </div>
    <div class="cpp-buttons">
      <button v-if="!graded" type="submit" class="cpp-main cpp-do-check">Check</button>
      <button v-else-if="t.at + 1 < t.count" type="button" ref="next" class="cpp-main cpp-do-next" @click="$emit('go', 1)">Next ›</button>
      <a v-if="graded && (t.only || t.at + 1 === t.count)" class="cpp-main cpp-do-more" :href="'/practice?topic=' + t.topic">{{ t.only ? "More of these" : "New ones" }}</a>
      <a v-if="graded && !t.only && t.at + 1 === t.count" href="/practice">Another topic</a>
      <button v-if="!graded" type="button" class="cpp-do-hint" :aria-expanded="hinting" @click="hinting = !hinting">Hint</button>
      <a v-if="t.watch" class="cpp-do-watch" :href="'/watch?' + t.watch" target="_blank">Watch it step by step</a>
    </div>
    <p v-if="hinting && !graded" class="cpp-hint">{{ t.hint }}</p>
  </form>
  <div class="cpp-marks" aria-live="polite">
    <p v-if="graded" class="cpp-verdict" :class="allRight ? 'cpp-good' : 'cpp-bad'">{{ verdict }}</p>
    <ul v-if="graded"><li v-for="mark in shownMarks" :key="mark.name" :data-mark="mark.name" :class="mark.right ? 'cpp-good' : 'cpp-bad'">
      <b>{{ labelOf(mark.name) }}</b> {{ mark.words }}</li></ul>
  </div>
</section>`,
  props: { told: String },
  data() { return { given: {}, picked: {}, focused: 0, hinting: false, copied: false }; },
  computed: {
    t() { return JSON.parse(this.told); },
    graded() { return this.t.marks.length > 0; },
    done() { return this.t.results.filter((r) => r !== null).length; },
    right() { return this.t.results.filter((r) => r === true).length; },
    allRight() { return this.t.marks.every((mark) => mark.right); },
    shownMarks() { return [...this.t.marks].sort((a, b) => a.right - b.right); },
    verdict() {
      const good = this.t.marks.filter((mark) => mark.right).length, all = this.t.marks.length;
      const now = this.allRight ? "Right." : all === 1 ? "Not quite." : `${good} of ${all} right.`;
      const end = !this.t.only && this.t.at + 1 === this.t.count ? ` That was the last one: ${this.right} of ${this.t.count} exercises right.` : "";
      return now + end;
    },
    spoken() { return "a game tree; leaves from left to right: " + this.t.figure.nodes.map((n, k) => (n[2] === "end" ? this.t.figure.names[k] : "")).filter(Boolean).join(", "); },
  },
  watch: {
    "t.at"() { this.begin(); },
    graded(now) { if (now) this.$nextTick(() => this.$refs.next?.focus({ preventScroll: true })); },
  },
  created() { this.begin(); },
  mounted() {
    if (!this.t.only) history.replaceState(history.state, "", `${location.pathname}?${this.t.query}`);
    this.watcher = new ResizeObserver(() => this.paint());
    this.watcher.observe(this.$el);
    this.theme = new MutationObserver(() => this.paint());
    this.theme.observe(document.body, { attributes: true, attributeFilter: ["class"] });
    this.paint();
  },
  updated() { this.paint(); },
  unmounted() { this.watcher.disconnect(); this.theme.disconnect(); },
  methods: {
    begin() {
      [this.given, this.picked, this.focused, this.hinting] = [{}, {}, 0, false];
      this.$nextTick(() => { if (!this.t.only && this.t.at) this.$el.querySelector(".cpp-blank input")?.focus({ preventScroll: true }); });
    },
    labelOf(name) { return this.t.blanks.find((blank) => blank.name === name)?.label; },
    markOf(name) { return this.t.marks.find((mark) => mark.name === name); },
    look(blank) { const mark = this.markOf(blank.name); return mark ? (mark.right ? "cpp-good" : "cpp-bad") : ""; },
    isOn(blank, option) { return (this.picked[blank.name] ?? []).includes(option); },
    toggle(blank, option) {
      if (this.graded) return;
      const now = this.picked[blank.name] ?? [];
      if (blank.kind === "choice") this.picked[blank.name] = [option];
      else this.picked[blank.name] = now.includes(option) ? now.filter((each) => each !== option) : [...now, option];
    },
    submit() {
      if (this.graded) return;
      const answers = { ...this.given };
      for (const [name, options] of Object.entries(this.picked)) answers[name] = options.join(" ");
      this.$emit("check", answers);
    },
    pick(event) {
      const k = event.target.closest?.("[data-node]")?.dataset.node;
      if (k === undefined || this.graded) return;
      const set = this.t.blanks.find((blank) => blank.kind === "set"), name = this.t.figure.names[+k];
      if (set && this.t.figure.nodes[+k][2] === "end") { this.toggle(set, name); return; }
      const blank = this.t.blanks.find((each) => each.node === +k) ?? this.t.blanks.find((each) => each.kind === "choice" && each.options.includes(name));
      if (blank?.kind === "choice") this.toggle(blank, name);
      else if (blank) this.$el.querySelector(`[data-blank="${blank.name}"] input`)?.focus();
    },
    story() {
      const { nodes, names } = this.t.figure, set = this.t.blanks.find((blank) => blank.kind === "set");
      const wanted = set && this.graded ? this.markOf(set.name).answer.split(" ") : [];
      const looks = nodes.map(([, , shape], k) => {
        const here = this.t.blanks.filter((blank) => blank.node === k && blank.kind === "number");
        const texts = here.map((blank) => this.given[blank.name] ?? "");
        const value = here.length > 1 ? (texts.some(Boolean) ? texts.map((text) => text || "?").join(" … ") : "") : texts[0] ?? "";
        if (shape === "end") {
          const off = this.graded ? wanted.includes(names[k]) : !!set && this.isOn(set, names[k]);
          return [k, "", names[k], "", off ? "pruned" : ""];
        }
        const missed = here.filter((blank) => this.markOf(blank.name)?.right === false);
        return [k, names[k], value, missed.map((blank) => this.markOf(blank.name).answer).join(" … "), ""];
      });
      return { kind: "tree", nodes, steps: [{ at: this.focused ?? 0, set: looks, lines: [], words: "", facts: [] }] };
    },
    paint() {
      const box = this.$refs.tree;
      if (!box) return;
      const story = this.story(), leaves = story.nodes.filter((node) => node[2] === "end").length;
      const room = Math.max(box.clientWidth - 2, 280), font = Math.max(13, Math.min(20, Math.floor(room / leaves / 2.6)));
      const depth = story.nodes.reduce((most, node, k) => { let d = 0; for (let at = k; story.nodes[at][0] !== null; at = story.nodes[at][0]) d++; return Math.max(most, d); }, 0);
      const size = { width: Math.max(room, Math.ceil(leaves * font * 2.6)), height: font * (6 + 5 * depth), font };
      const svg = drawing(story, 0, size, document.body.classList.contains("body--dark") ? DARK : LIGHT).svg;
      if (box.shown !== svg) { box.innerHTML = svg; box.shown = svg; }
    },
    async link() {
      const address = `${location.origin}/practice?${this.t.query}`;
      try { await navigator.clipboard.writeText(address); } catch { prompt("The link for a class", address); }
      this.copied = true;
      setTimeout(() => (this.copied = false), 1500);
    },
  },
};
