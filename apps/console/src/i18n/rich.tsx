import type { ReactNode } from 'react';
import { t } from './i18n.ts';
import type { MessageKey } from './messages.ts';

type Value = ReactNode | ((text: ReactNode) => ReactNode);

const MARK = '\uFFFC';
const PARTS = /<(\w+)>(.*?)<\/\1>|\uFFFC(\w+)\uFFFC/;

/**
 * Returns a message with elements in it. A function renders the text between the tags of its name: `<link>Open</link>`.
 */
export function rich(key: MessageKey, values: Readonly<Record<string, Value>>): ReactNode {
  const marked = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'number' ? value : `${MARK}${name}${MARK}`,
  ]);
  return render(t(key, Object.fromEntries(marked)), values);
}

function render(text: string, values: Readonly<Record<string, Value>>): ReactNode {
  const found = PARTS.exec(text);
  if (found === null) return text;
  const [whole, tag, inner = '', name = tag ?? ''] = found;
  const value = values[name];
  return (
    <>
      {text.slice(0, found.index)}
      {typeof value === 'function' ? value(render(inner, values)) : value}
      {render(text.slice(found.index + whole.length), values)}
    </>
  );
}
