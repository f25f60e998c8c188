/** Kinds of code that can be shown as a picture or a page. */
export type PreviewKind = 'mermaid' | 'html' | 'svg';

/** Returns the preview for a block of code; null if it is only text. */
export function previewOf(language: string, code: string): PreviewKind | null {
  if (language === 'mermaid') return 'mermaid';
  if (language === 'svg' || (/^(?:xml|html|)$/.test(language) && /^\s*(?:<\?xml[^>]*>\s*)?<svg[\s>]/.test(code)))
    return 'svg';
  return language === 'html' || language === 'htm' ? 'html' : null;
}

/** Extensions that differ from the language's name. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  '': 'txt',
  bash: 'sh',
  'c#': 'cs',
  'c++': 'cpp',
  clojure: 'clj',
  csharp: 'cs',
  dockerfile: 'dockerfile',
  elixir: 'ex',
  erlang: 'erl',
  fsharp: 'fs',
  golang: 'go',
  haskell: 'hs',
  javascript: 'js',
  julia: 'jl',
  kotlin: 'kt',
  latex: 'tex',
  makefile: 'mk',
  markdown: 'md',
  mermaid: 'mmd',
  objectivec: 'm',
  ocaml: 'ml',
  perl: 'pl',
  plaintext: 'txt',
  powershell: 'ps1',
  python: 'py',
  ruby: 'rb',
  rust: 'rs',
  shell: 'sh',
  text: 'txt',
  typescript: 'ts',
  yml: 'yaml',
  zsh: 'sh',
};

/** Returns the name of a file with code in a language. */
export function fileNameOf(language: string): string {
  const extension =
    (Object.hasOwn(EXTENSIONS, language) ? EXTENSIONS[language] : undefined) ??
    (/^[a-z\d]{1,10}$/.test(language) ? language : 'txt');
  return `code.${extension}`;
}
