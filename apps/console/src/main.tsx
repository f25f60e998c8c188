import './styles.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { login } from './account/login.ts';
import { loginStore } from './account/login-store.ts';
import { App } from './app.tsx';
import { basePath } from './base-path.ts';
import { sectionAt } from './shell/sections.ts';

// The page that is asked for is fetched while all that surrounds it is drawn; one that can't be had is told when it is its turn.
const asked = sectionAt(location.pathname.slice(basePath.length));
if (loginStore.current() !== null) asked?.load().catch(() => undefined);
void login.tellSignOut();

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no element #root');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
