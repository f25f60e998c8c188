import { lazy } from 'react';
import { Redirect, Route, Switch, useRoute } from 'wouter';
import { useAccount } from '../../account/account-gate.tsx';
import { Page } from '../../components/page.tsx';
import { EmptyState } from '../../components/placeholders.tsx';

export const administrationTabs = [
  { path: 'users', label: 'Users' },
  { path: 'providers', label: 'Providers' },
  { path: 'models', label: 'Models' },
  { path: 'usage', label: 'Usage' },
] as const;

const parts = {
  users: lazy(() => import('./users/users-panel.tsx')),
  providers: lazy(() => import('./providers/providers-panel.tsx')),
  models: lazy(() => import('./models/models-panel.tsx')),
  usage: lazy(() => import('./usage/usage-panel.tsx')),
};

/** The platform's users and providers, for operators. */
export default function AdministrationPage() {
  const [, params] = useRoute('/administration/:part');
  const { user } = useAccount();
  if (!user.operator)
    return (
      <EmptyState title="For operators" level={1}>
        Only operators of the platform can manage it. Ask one of them.
      </EmptyState>
    );
  return (
    <Page title="Administration" base="/administration" tabs={administrationTabs} current={params?.part}>
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
