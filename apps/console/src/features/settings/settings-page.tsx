import { lazy } from 'react';
import { Redirect, Route, Switch, useRoute } from 'wouter';
import { Page } from '../../components/page.tsx';
import { t, withMessages } from '../../i18n/i18n.ts';
import { useScope } from '../../scope/scope-context.tsx';

export const settingsTabs = [
  { path: 'usage', label: 'settings.usage' },
  { path: 'agents', label: 'settings.agents' },
  { path: 'prompts', label: 'components.prompts' },
  { path: 'tools', label: 'settings.tools' },
  { path: 'keys', label: 'settings.apiKeys' },
  { path: 'webhooks', label: 'settings.webhooks' },
  { path: 'audit', label: 'settings.auditLog' },
  { path: 'data', label: 'settings.data' },
  { path: 'account', label: 'settings.account' },
] as const;
export const workspaceTab = { path: 'workspace', label: 'common.workspace' } as const;

const parts = {
  usage: lazy(() => import('./usage/usage-panel.tsx')),
  agents: lazy(() => import('./agents/agents-panel.tsx')),
  prompts: lazy(() => import('./prompts/prompts-panel.tsx')),
  tools: lazy(() => import('./tools/tools-panel.tsx')),
  keys: lazy(() => import('./keys/keys-panel.tsx')),
  webhooks: lazy(() => import('./webhooks/webhooks-panel.tsx')),
  audit: lazy(() => import('./audit/audit-panel.tsx')),
  data: lazy(() => import('./data/data-panel.tsx')),
  account: lazy(withMessages(['personal'], () => import('./account/account-panel.tsx'))),
  workspace: lazy(() => import('./workspace/workspace-panel.tsx')),
};

export default function SettingsPage() {
  const [, params] = useRoute('/settings/:part');
  const { scope } = useScope();
  const tabs = scope.type === 'workspace' ? [workspaceTab, ...settingsTabs] : settingsTabs;
  return (
    <Page title={t('common.settings')} base="/settings" tabs={tabs} current={params?.part}>
      <Switch>
        {tabs.map(({ path }) => (
          <Route key={path} path={`/settings/${path}`} component={parts[path]} />
        ))}
        <Route>
          <Redirect to={`/settings/${tabs[0]?.path}`} replace />
        </Route>
      </Switch>
    </Page>
  );
}
