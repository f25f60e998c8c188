import { ChevronUpDownIcon, LanguageIcon } from '@heroicons/react/24/outline';
import { Button, Menu } from '@mantine/core';
import { notifyError } from '../data/notify.ts';
import { changeLanguage, currentLanguage, t } from './i18n.ts';
import { type Language, languages } from './languages.ts';

const BUTTON = 'data-language';

/** Shows the language of the console, and lets the user choose another. */
export function LanguageMenu() {
  const current = currentLanguage();
  const name = languages.find(({ code }) => code === current)?.name;
  return (
    <Menu>
      <Menu.Target>
        <Button
          {...{ [BUTTON]: current }}
          variant="default"
          size="xs"
          aria-label={t('common.languageIs', { name: name ?? current })}
          leftSection={<LanguageIcon />}
          rightSection={<ChevronUpDownIcon />}
        >
          {name}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {languages.map(({ code, name: label }) => (
          <Menu.Item key={code} lang={code} dir="auto" aria-current={code === current} onClick={() => change(code)}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

async function change(language: Language): Promise<void> {
  await changeLanguage(language).catch(notifyError);
  // The button has been re-created.
  requestAnimationFrame(() => document.querySelector<HTMLElement>(`[${BUTTON}]`)?.focus());
}
