/** All pieces of two and of three characters; a single character is its own. */
export function grams(run: string): string[] {
  const characters = [...run];
  if (characters.length < 2) return characters;
  const pieces: string[] = [];
  for (let at = 0; at < characters.length - 1; at += 1) {
    pieces.push(characters.slice(at, at + 2).join(''));
    if (at < characters.length - 2) pieces.push(characters.slice(at, at + 3).join(''));
  }
  return pieces;
}
