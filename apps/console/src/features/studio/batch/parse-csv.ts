/**
 * The rows of a CSV file after RFC 4180: fields by commas (or semicolons, or tabs, where the first line has more of them), quoted where they hold those or
 * ends of lines. Empty lines are left out.
 */
export function parseCsv(text: string): string[][] {
  const separator = separatorOf(text);
  const rows: string[][] = [];
  let row: string[] = [];
  let field = '';
  let isQuoted = false;
  const endField = () => {
    row.push(field);
    field = '';
  };
  const endRow = () => {
    endField();
    if (row.some((value) => value.trim() !== '')) rows.push(row);
    row = [];
  };
  const characters = text.replace(/^\uFEFF/, '');
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at];
    if (isQuoted) {
      if (character !== '"') field += character;
      else if (characters[at + 1] === '"') {
        field += '"';
        at += 1;
      } else isQuoted = false;
    } else if (character === '"' && field === '') isQuoted = true;
    else if (character === separator) endField();
    else if (character === '\n') endRow();
    else if (character !== '\r') field += character;
  }
  if (field !== '' || row.length > 0) endRow();
  return rows;
}

function separatorOf(text: string): string {
  const head = text.slice(0, text.indexOf('\n') === -1 ? undefined : text.indexOf('\n'));
  const count = (separator: string) => head.split(separator).length;
  return [',', ';', '\t'].reduce((best, one) => (count(one) > count(best) ? one : best));
}
