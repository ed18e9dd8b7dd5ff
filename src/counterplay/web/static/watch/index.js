export * from "./building.js";
export * from "./drawing.js";
export * from "./exporting.js";
export * from "./training.js";
