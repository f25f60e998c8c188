import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** The Node that the TypeScript sources need: its type stripping runs them as they are. */
export const neededNodeMajor = 24;

/**
 * @param {string} version such as "v26.1.0" or "26.1.0"
 * @returns {boolean} whether that Node can run the sources
 */
export function canRunSources(version) {
  return Number.parseInt(version.replace(/^v/, ''), 10) >= neededNodeMajor;
}

/** Prints progress before the project's logger exists. @param {string} line */
export function say(line) {
  process.stdout.write(`${line}\n`);
}
