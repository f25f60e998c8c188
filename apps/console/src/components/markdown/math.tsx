import 'temml/dist/Temml-Local.css';
import { type CSSProperties, createElement, type ReactNode, useMemo } from 'react';
import temml from 'temml';

/** A node of the renderer's tree. Text nodes have `text`; elements of HTML have no `type`. */
interface TreeNode {
  type?: string;
  text?: string;
  attributes?: Record<string, string>;
  classes?: string[];
  style?: Record<string, string>;
  children?: TreeNode[];
}

interface MathProps {
  tex: string;
  isDisplay: boolean;
  /** Shown if the TeX is not valid. */
  fallback: ReactNode;
}

/** Renders TeX as MathML elements. Commands that could load or link to anything are errors. */
export default function MathFormula({ tex, isDisplay, fallback }: MathProps) {
  return useMemo(() => {
    try {
      return toElement(temml.__renderToMathMLTree(tex, { ...OPTIONS, displayMode: isDisplay }), 0);
    } catch {
      return fallback;
    }
  }, [tex, isDisplay, fallback]);
}

/** Limits sizes to 25 em, so that a formula cannot cover the page. */
const OPTIONS = { throwOnError: true, strict: false, trust: false, maxSize: [25, 25] as [number, number] };

const ELEMENTS = /^(?:m[a-z]+|semantics|annotation)$/;

function toElement(node: TreeNode, key: number): ReactNode {
  if (node.text !== undefined) return node.text;
  const children = node.children?.map(toElement) ?? [];
  const type = node.type ?? 'span';
  if (type !== 'span' && !ELEMENTS.test(type)) return children;
  const style = Object.entries(node.style ?? {}).map(([name, value]) => [toCamelCase(name), value]);
  const className = node.classes?.filter(Boolean).join(' ') || undefined;
  // A label would become an id of the page.
  const { id: _, ...attributes } = node.attributes ?? {};
  const styled = style.length > 0 && { style: Object.fromEntries(style) as CSSProperties };
  return createElement(type, { ...attributes, key, className, ...styled }, ...children);
}

const toCamelCase = (name: string) => name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
