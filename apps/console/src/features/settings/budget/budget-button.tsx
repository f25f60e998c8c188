import type { ChorusClient } from '@chorus/client';
import { Button, type ButtonProps } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Dialog } from '../../../components/dialog.tsx';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { BudgetForm, type BudgetSource } from './budget-form.tsx';

type BudgetButtonProps = ButtonProps & ({ apiKeyId: string } | { workspaceId: string });

/** Opens the budget of an API key or a workspace. */
export function BudgetButton(props: BudgetButtonProps) {
  const { client } = useScope();
  const [isOpen, { open, close }] = useDisclosure();
  const { source, ...button } = withSource(client, props);
  return (
    <>
      <Button variant="default" {...button} onClick={open}>
        {t('settings.budget')}
      </Button>
      <Dialog opened={isOpen} onClose={close} title={t('settings.budget')}>
        <BudgetForm source={source} onClose={close} />
      </Dialog>
    </>
  );
}

function withSource(client: ChorusClient, props: BudgetButtonProps): ButtonProps & { source: BudgetSource } {
  if ('apiKeyId' in props) {
    const { apiKeyId: id, ...button } = props;
    const { keys } = client;
    return {
      ...button,
      source: { id, load: (signal) => keys.budget(id, { signal }), save: (patch) => keys.changeBudget(id, patch) },
    };
  }
  const { workspaceId: id, ...button } = props;
  const { workspaces } = client;
  return {
    ...button,
    source: {
      id,
      load: (signal) => workspaces.budget(id, { signal }),
      save: (patch) => workspaces.changeBudget(id, patch),
    },
  };
}
