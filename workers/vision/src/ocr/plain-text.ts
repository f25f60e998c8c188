/** Removes Markdown formatting. Table cells are separated by tabs. */
export function plainText(markdown: string): string {
  return markdown
    .split('\n')
    .filter((line) => !isRule(line) && !/^\s*(```|~~~)/.test(line))
    .map((line) => (/^\s*\|.*\|\s*$/.test(line) ? cellsOf(line) : inlineText(line)))
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

const cellsOf = (line: string) =>
  line
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => inlineText(cell.trim()))
    .join('\t');

/** Matches a horizontal rule, or the line under a table's head. */
const isRule = (line: string) =>
  /^[\s|:-]+$/.test(line) && line.includes('-') && (line.includes('|') || line.includes('---'));

/** Removes inline formatting. Bounded patterns keep any text fast. */
function inlineText(line: string): string {
  return line
    .replace(/^(\s{0,20})(#{1,6}\s+|>\s?)/, '$1')
    .replace(/!?\[([^\][]{0,200})\]\([^)\s]{0,2000}\)/g, '$1')
    .replace(/(\*\*|__)(?=\S)(.{1,200}?)(?<=\S)\1/g, '$2')
    .replace(/(?<![\p{L}\p{N}])([*_])(?=\S)(.{1,200}?)(?<=\S)\1(?![\p{L}\p{N}])/gu, '$2')
    .replace(/`([^`]{1,200})`/g, '$1')
    .replace(/\\([\\`*_{}[\]()#+.!|>~-])/g, '$1');
}
