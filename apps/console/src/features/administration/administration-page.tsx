import { lazy } from 'react';
import { Redirect, Route, Switch, useRoute } from 'wouter';
import { useAccount } from '../../account/account-gate.tsx';
import { Page } from '../../components/page.tsx';
import { EmptyState } from '../../components/placeholders.tsx';
import { t, withMessages } from '../../i18n/i18n.ts';

export const administrationTabs = [
  { path: 'users', label: 'administration.users' },
  { path: 'providers', label: 'administration.providers' },
  { path: 'models', label: 'administration.models' },
  { path: 'usage', label: 'administration.usage' },
  { path: 'queues', label: 'administration.queues' },
] as const;

const parts = {
  users: lazy(() => import('./users/users-panel.tsx')),
  providers: lazy(() => import('./providers/providers-panel.tsx')),
  models: lazy(() => import('./models/models-panel.tsx')),
  usage: lazy(() => import('./usage/usage-panel.tsx')),
  queues: lazy(withMessages(['queues', 'lanes'], () => import('./queues/queues-panel.tsx'))),
};

/** The platform's users and providers, for operators. */
export default function AdministrationPage() {
  const [, params] = useRoute('/administration/:part');
  const { user } = useAccount();
  if (!user.operator)
    return (
      <EmptyState title={t('administration.forOperators')} level={1}>
        {t('administration.forOperatorsHint')}
      </EmptyState>
    );
  return (
    <Page title={t('common.administration')} base="/administration" tabs={administrationTabs} current={params?.part}>
      <Switch>
        {administrationTabs.map(({ path }) => (
          <Route key={path} path={`/administration/${path}`} component={parts[path]} />
        ))}
        <Route>
          <Redirect to={`/administration/${administrationTabs[0].path}`} replace />
        </Route>
      </Switch>
    </Page>
  );
}
