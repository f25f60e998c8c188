import { type ComponentType, lazy, useState } from 'react';

export interface Preloadable {
  load: () => Promise<unknown>;
  /** The page if it has loaded, otherwise a lazy one. */
  current: () => ComponentType;
}

/** Declares a page that loads on demand, or earlier. */
export function preloadable(load: () => Promise<{ default: ComponentType }>): Preloadable {
  let loaded: ComponentType | null = null;
  const remember = async () => {
    const module = await load();
    loaded = module.default;
    return module;
  };
  const whenLoaded = lazy(remember);
  return { load: remember, current: () => loaded ?? whenLoaded };
}

/**
 * Renders a loaded page at once. For a lazy one, React would show the fallback first, and keep it for
 * 300 ms.
 */
export function PreloadedPage({ page }: { page: Preloadable }) {
  const [Shown] = useState(page.current);
  return <Shown />;
}
