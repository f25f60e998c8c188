import { type CSSVariablesResolver, createTheme, rem } from '@mantine/core';
import { t } from './i18n/i18n.ts';

/** Returns the theme, with labels in the current language. */
export const createAppTheme = () =>
  createTheme({
    primaryColor: 'indigo',
    colors: {
      // Cool grays instead of Mantine's warm ones, to match the surfaces below.
      dark: [
        '#d3d7de',
        '#b4bac5',
        '#8a919e',
        '#626976',
        '#2f343e',
        '#262a33',
        '#1c1f26',
        '#15171c',
        '#101216',
        '#0b0c0f',
      ],
    },
    primaryShade: 7,
    autoContrast: true,
    defaultRadius: 'md',
    cursorType: 'pointer',
    fontFamily:
      '"Inter Variable", Inter, ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
    fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace',
    // One scale for pages and answers: 12, 14, 16, 18, 20, 24, and 30 pixels.
    headings: {
      fontWeight: '650',
      sizes: {
        h1: { fontSize: rem(30), lineHeight: '1.25' },
        h2: { fontSize: rem(24), lineHeight: '1.3' },
        h3: { fontSize: rem(20), lineHeight: '1.35' },
        h4: { fontSize: rem(18), lineHeight: '1.4' },
        h5: { fontSize: rem(16), lineHeight: '1.5' },
        h6: { fontSize: rem(14), lineHeight: '1.5' },
      },
    },
    respectReducedMotion: true,
    components: {
      // Mantine's close buttons have no accessible name.
      ...Object.fromEntries(
        ['Modal', 'Drawer', 'Notification'].map((name) => [
          name,
          {
            defaultProps: { closeButtonProps: { 'aria-label': t('common.close') } },
            styles: {
              title: { fontWeight: 650, minWidth: 0, overflowWrap: 'anywhere' },
              ...(name === 'Notification' && { description: { color: 'var(--mantine-color-dimmed)' } }),
            },
          },
        ]),
      ),
      // Keyboards can scroll only elements that take the focus.
      TableScrollContainer: { defaultProps: { scrollAreaProps: { viewportProps: { tabIndex: 0 } } } },
      ScrollArea: { defaultProps: { viewportProps: { tabIndex: 0 } } },
      TextInput: { defaultProps: { dir: 'auto' } },
      Textarea: { defaultProps: { dir: 'auto' } },
      Menu: { styles: { itemLabel: { minWidth: 0, overflowWrap: 'anywhere' } } },
      ...Object.fromEntries(
        ['Select', 'MultiSelect', 'TagsInput'].map((name) => [
          name,
          { styles: { option: { overflowWrap: 'anywhere' } } },
        ]),
      ),
    },
  });

/** Some of Mantine's text colors fall short of a contrast of 4.5 to 1. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5b6470',
    '--mantine-color-placeholder': '#6b7480',
    '--mantine-color-error': '#c92a2a',
    '--mantine-color-anchor': '#3b5bdb',
    '--mantine-color-yellow-light-color': '#8f4700',
    '--mantine-color-indigo-light-color': '#2b3fa8',
    '--surface-sunken': '#f6f7f9',
    '--surface-raised': '#ffffff',
    '--line': '#e3e6eb',
    '--accent-soft': '#eef0ff',
    '--good': '#087f5b',
    '--bad': '#c92a2a',
    '--warning': '#b35300',
    '--warning-soft': '#fff8f0',
    '--warning-line': '#f3cfa6',
  },
  dark: {
    '--mantine-color-dimmed': '#a6adba',
    '--mantine-color-placeholder': '#949caa',
    '--mantine-color-error': '#ff8787',
    '--mantine-color-body': '#15171c',
    '--surface-sunken': '#101216',
    '--surface-raised': '#1c1f26',
    '--line': '#2c313a',
    '--accent-soft': '#24284a',
    '--good': '#38d9a9',
    '--bad': '#ff8787',
    '--warning': '#ffc078',
    '--warning-soft': '#241d14',
    '--warning-line': '#5c4424',
  },
});
