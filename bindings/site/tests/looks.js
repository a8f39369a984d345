// Measures the page: its width, texts with low contrast, images without a text, and boxes that are wider than the
// window and do not scroll.
const faults = [];
const seen = document.documentElement;
if (seen.scrollWidth > innerWidth) faults.push(`the page is ${seen.scrollWidth} pixels wide`);
for (const image of document.images) {
  if (!image.alt.trim()) faults.push(`no alternative text: ${image.src}`);
  if (!image.naturalWidth) faults.push(`not loaded: ${image.src}`);
}
for (const box of document.querySelectorAll("article *, main *")) {
  if (box.getBoundingClientRect().right <= innerWidth + 1 || !box.checkVisibility() || box.closest(".unseen")) continue;
  let above = box.parentElement;
  while (above && getComputedStyle(above).overflowX === "visible") above = above.parentElement;
  if (!above) faults.push(`beyond the window: ${box.outerHTML.slice(0, 80)}`);
}

// The contrast as WCAG 2.2 defines it: from the relative luminances of the text and of its background.
const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
const known = new Map();
function colour(text) {
  if (!known.has(text)) {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
    known.set(text, { parts: [red, green, blue], alpha: alpha / 255 });
  }
  return known.get(text);
}
const mixed = ({ parts, alpha }, below) => parts.map((part, at) => part * alpha + below[at] * (1 - alpha));
const linear = (part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
const luminance = ([red, green, blue]) => 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
function ground(element) {
  const layers = [];
  for (let each = element; each; each = each.parentElement) {
    layers.push(colour(getComputedStyle(each).backgroundColor));
    if (layers.at(-1).alpha === 1) break;
  }
  return layers.reduceRight((below, layer) => mixed(layer, below), [255, 255, 255]);
}
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const low = new Map();
while (texts.nextNode()) {
  const words = texts.currentNode.data.trim(), element = texts.currentNode.parentElement;
  if (!words || element.closest("script, style, noscript, template, svg")) continue;
  if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
  const style = getComputedStyle(element), below = ground(element), text = colour(style.color);
  const pair = [luminance(mixed(text, below)), luminance(below)].sort((a, b) => b - a);
  const contrast = (pair[0] + 0.05) / (pair[1] + 0.05), size = parseFloat(style.fontSize);
  const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
  if (contrast < (isLarge ? 3 : 4.5)) low.set(`${style.color} on ${below.map(Math.round)}: ${contrast.toFixed(1)}`, words.slice(0, 40));
}
for (const [what, words] of low) faults.push(`contrast ${what}, "${words}"`);
return faults;
