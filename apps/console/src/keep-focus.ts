/** Elements that the Tab key reaches. */
const FOCUSABLE =
  ':is(a[href], button:enabled, input:enabled, textarea:enabled, select:enabled, [tabindex]):not([tabindex="-1"])';

/** Clicks on these lead to a dialog or menu, after which the focus returns to where it was. */
const CLICKABLE = 'a, button, input, textarea, select, label, summary, [role^="menuitem"], [role="option"]';

/** Gives dialogs and menus time to restore the focus themselves. */
const SETTLE_MS = 60;

const HISTORY_LENGTH = 10;

interface PathStep {
  parent: Element;
  /** Index of the child on the path to the focused element. */
  index: number;
}

/**
 * Restores the keyboard focus when its element disappears, moves, or is disabled.
 *
 * It goes back to the same element, to the nearest one, or to an earlier one. Browsers would reset it to the
 * top of the page, where keyboard and screen reader users would have to start over.
 *
 * @returns a function that stops it
 */
export function keepFocus(): () => void {
  let path: PathStep[] = [];
  let history: HTMLElement[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  const onFocus = ({ target }: FocusEvent) => {
    if (!(target instanceof HTMLElement)) return;
    path = pathTo(target);
    history = [target, ...history.filter((one) => one !== target)].slice(0, HISTORY_LENGTH);
  };
  // A click outside of everything clears the focus on purpose.
  const onPointer = ({ target }: Event) => {
    if (target instanceof Element && target.closest(CLICKABLE) === null) history = [];
  };
  const restore = () => {
    timer = undefined;
    const [last] = history;
    if (last === undefined || !isFocusLost()) return;
    if (last.isConnected && last.dataset.loading === 'true') return; // it comes back with another mutation
    const next = isFocusable(last) ? last : (nearest(path, isField(last)) ?? history.find(isFocusable));
    (next ?? document.getElementById('content'))?.focus({ preventScroll: true });
  };
  const changes = new MutationObserver(() => {
    if (isFocusLost()) timer ??= setTimeout(restore, SETTLE_MS);
  });
  changes.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
  document.addEventListener('focusin', onFocus);
  document.addEventListener('pointerdown', onPointer, { capture: true });
  return () => {
    clearTimeout(timer);
    changes.disconnect();
    document.removeEventListener('focusin', onFocus);
    document.removeEventListener('pointerdown', onPointer, { capture: true });
  };
}

const isFocusLost = () => document.activeElement === document.body || document.activeElement === null;

const isFocusable = (element: Element): element is HTMLElement =>
  element.isConnected && element.matches(FOCUSABLE) && element.checkVisibility();

/** Phones open their keyboard for these, so only another field may hand its focus to one. */
const isField = (element: Element) => element.matches('input, textarea');

function pathTo(element: Element): PathStep[] {
  const path: PathStep[] = [];
  for (let child = element; child.parentElement !== null; child = child.parentElement) {
    const parent = child.parentElement;
    // Direct children of the body, such as dialogs and menus, are unrelated to each other.
    if (parent === document.body) break;
    path.push({ parent, index: Array.prototype.indexOf.call(parent.children, child) });
  }
  return path;
}

/** Returns the next element in the innermost surviving parent, else the previous one, else that parent. */
function nearest(path: readonly PathStep[], allowFields: boolean): HTMLElement | undefined {
  const isCandidate = (element: Element): element is HTMLElement =>
    isFocusable(element) && (allowFields || !isField(element));
  for (const { parent, index } of path) {
    if (!parent.isConnected) continue;
    const children = [...parent.children];
    for (const child of [...children.slice(index), ...children.slice(0, index).reverse()]) {
      const found = [child, ...child.querySelectorAll(FOCUSABLE)].find(isCandidate);
      if (found) return found;
    }
    if (isCandidate(parent)) return parent;
  }
  return undefined;
}
