import { signInPage } from './account/account-gate.tsx';
import { login, loginStore } from './account/login.ts';
import { App } from './app.tsx';
import { startLanguage } from './i18n/i18n.ts';
import { basePath } from './page-config.ts';
import { sectionAt } from './shell/sections.ts';
import './styles.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

const path = location.pathname.slice(basePath.length);
const page = loginStore.current() === null ? signInPage : sectionAt(path === '/' ? '/chat' : path);
// Reports a failure when the page itself renders.
const loading = page?.load().catch(() => undefined);
void login.reportSignOut();
// The first requests wait for a token.
login.token().catch(() => undefined);

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no element #root');
Promise.all([startLanguage(['common']), loading]).then(
  () =>
    createRoot(root).render(
      <StrictMode>
        <App />
      </StrictMode>,
    ),
  () => root.replaceChildren('Chorus could not be loaded. Check your network connection, then reload the page.'),
);
