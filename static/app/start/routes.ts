import type { RouteRow } from '../base/types.js';

/**
 * All pages of the app. The service serves the same document for each of these patterns. Which screens fill the window
 * has to be known before they are loaded: nothing may move then.
 */
export const ROUTES: readonly RouteRow[] = [
  { pattern: '/', tab: 'explore', whole: true, view: () => import('../explore/view.js') },
  { pattern: '/restaurants/:id', tab: 'explore', view: () => import('../place/view.js') },
  { pattern: '/restaurants/:id/photos/:photo', tab: 'explore', view: () => import('../place/view.js') },
  { pattern: '/restaurants/:id/edit', tab: 'explore', view: () => import('../add/view.js') },
  { pattern: '/add', tab: 'add', view: () => import('../add/view.js') },
  { pattern: '/suggestions', tab: 'suggestions', whole: true, view: () => import('../suggestions/view.js') },
  { pattern: '/suggestions/:id/edit', tab: 'suggestions', view: () => import('../add/view.js') },
  { pattern: '/lists', tab: 'lists', view: () => import('../lists/view.js') },
  { pattern: '/lists/:id', tab: 'lists', view: () => import('../lists/view.js') },
  { pattern: '/outings', tab: 'lists', view: () => import('../outings/list.js') },
  { pattern: '/outings/new', tab: 'lists', view: () => import('../outings/new.js') },
  { pattern: '/visits', tab: 'visits', view: () => import('../visits/view.js') },
  { pattern: '/activity', tab: 'activity', view: () => import('../activity/view.js') },
  { pattern: '/duplicates', tab: 'activity', view: () => import('../duplicates/view.js') },
  { pattern: '/settings', tab: 'settings', view: () => import('../settings/view.js') },
  { pattern: '/settings/:part', tab: 'settings', view: () => import('../settings/view.js') },
  { pattern: '/l/:token', tab: '', secret: true, view: () => import('../shared-link/view.js') },
  { pattern: '/o/:token', tab: '', secret: true, view: () => import('../outings/view.js') },
  { pattern: '/sign-in', tab: '', view: () => import('../sign-in/view.js') },
  { pattern: '/join', tab: '', view: () => import('../sign-in/view.js') },
  { pattern: '/reset', tab: '', view: () => import('../sign-in/view.js') },
  { pattern: '/auth/callback', tab: '', view: () => import('../sign-in/view.js') },
];
