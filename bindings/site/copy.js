// Adds a copy button to each block of code. Output blocks do not get a button.
"use strict";

/** Copies the text of a block by selecting it. Pages from a server without TLS need this function, because browsers
    give such pages no clipboard API. */
function copySelected(block) {
  const selection = getSelection();
  selection.selectAllChildren(block);
  const done = document.execCommand("copy");
  selection.removeAllRanges();
  return done;
}

async function copied(block) {
  try {
    await navigator.clipboard.writeText(block.innerText.trimEnd());
    return true;
  } catch {
    return copySelected(block);
  }
}

for (const box of document.querySelectorAll("article .highlight")) {
  const block = box.querySelector("pre");
  if (!block || box.closest(".highlight-text, .highlight-none, .cell_output, .linenos")) continue;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "copy";
  button.title = "Copy this code";
  button.addEventListener("click", async () => {
    button.textContent = (await copied(block)) ? "copied" : "not copied";
    setTimeout(() => { button.textContent = "copy"; }, 2000);
  });
  box.append(button);
}
