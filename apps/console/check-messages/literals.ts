import { type Node, nameOf, type Source, textOf, walk } from './sources.ts';

/** Words, or a name that begins a sentence or a label. */
const LOOKS_LIKE_TEXT = /^\W*[A-Z][a-z]+|[a-z]{2,} [a-z]{2,}/;

/** Attributes and properties that users do not read. */
const NOT_READ = new Set([
  'autoComplete',
  'className',
  'd',
  'gridTemplateColumns',
  'fontFamily',
  'fontFamilyMonospace',
  'key',
  'name',
  'rel',
  'sizes',
  'styles',
  'style',
  'transition',
  'type',
]);

/** Attributes and properties that users always read, even if they are a single word. */
const READ = /^(?:label|title|placeholder|description|hint|alt|aria-(?:label|description)|\w+Label)$/;

/** Names of products and formats are the same in all languages. */
const NAMES = new Set(['Authorization', 'Bearer …', 'Chorus', 'Ctrl', 'Node.js']);

/** Keys of messages, and texts for machines. */
const NO_TEXT = /^[a-z]+\.\w+$|^<[!\w]|^https?:|=>/;

/** Returns texts of the interface that are not in the catalogue, each with its line. */
export function literalTexts({ path, text, root }: Source): string[] {
  const found: string[] = [];
  const add = (node: Node, words: string) =>
    found.push(`${path}:${text.slice(0, node.start).split('\n').length}: ${words.trim().replace(/\s+/g, ' ')}`);
  walk(root, (node, around) => {
    if (node.type.startsWith('TS') && node.type !== 'TSAsExpression' && node.type !== 'TSSatisfiesExpression')
      return false;
    if (/^(?:Import|Export(?:All|Named))/.test(node.type) && node.source != null) return false;
    if (node.type === 'NewExpression' && /(?:Error|Exception)$/.test(nameOf(node.callee))) return false;
    if (node.type === 'JSXAttribute' && NOT_READ.has(nameOf(node.name))) return false;
    if (node.type === 'Property' && NOT_READ.has(nameOf(node.key))) {
      return false;
    }
    if (node.type === 'BinaryExpression') return false;
    if (node.type === 'JSXElement' && nameOf((node.openingElement as Node).name) === 'code') return false;
    if (node.type === 'JSXText') {
      const words = String(node.value);
      if (/\p{L}/u.test(words) && !NAMES.has(words.trim())) add(node, words);
      return false;
    }
    const words = textOf(node);
    const isRead = isShown(around) && /\p{L}{2,}/u.test(words?.replaceAll('{}', '') ?? '');
    if (words === null || NAMES.has(words) || NO_TEXT.test(words) || !(isRead || LOOKS_LIKE_TEXT.test(words)))
      return undefined;
    const [parent] = around;
    if (/^\w+$/.test(words) && (parent?.type === 'ArrayExpression' || nameOf(parent?.callee) === 'includes'))
      return undefined;
    if (parent?.type === 'Property' && parent.key === node) return undefined;
    add(node, words);
    return undefined;
  });
  return found;
}

/** Returns whether a value is a child of an element, or of an attribute or property that users read. */
function isShown(around: readonly Node[]): boolean {
  const outer = around.find(({ type }) => !/^(?:Conditional|Logical)Expression$/.test(type));
  if (outer?.type === 'Property') return READ.test(nameOf(outer.key));
  if (outer?.type === 'JSXAttribute') return READ.test(nameOf(outer.name));
  if (outer?.type !== 'JSXExpressionContainer') return false;
  const holder = around[around.indexOf(outer) + 1];
  return holder?.type !== 'JSXAttribute' || READ.test(nameOf(holder.name));
}
