/**
 * All pages of the app. The service serves the same document for each of these patterns; `view` loads the screen.
 * `tab` is the entry of the navigation that is current there; `whole` is of screens that fill the window and scroll in
 * their parts, which has to be known before they are loaded: nothing may move then.
 */
export const ROUTES = [
  { pattern: '/', tab: 'explore', whole: true, view: () => import('./views/explore.js') },
  { pattern: '/restaurants/:id', tab: 'explore', view: () => import('./views/restaurant.js') },
  { pattern: '/restaurants/:id/photos/:photo', tab: 'explore', view: () => import('./views/restaurant.js') },
  { pattern: '/restaurants/:id/edit', tab: 'explore', view: () => import('./views/edit.js') },
  { pattern: '/add', tab: 'add', view: () => import('./views/add.js') },
  { pattern: '/suggestions', tab: 'suggestions', whole: true, view: () => import('./views/suggestions.js') },
  { pattern: '/suggestions/:id/edit', tab: 'suggestions', view: () => import('./views/edit.js') },
  { pattern: '/lists', tab: 'lists', view: () => import('./views/lists.js') },
  { pattern: '/lists/:id', tab: 'lists', view: () => import('./views/list.js') },
  { pattern: '/visits', tab: 'visits', view: () => import('./views/visits.js') },
  { pattern: '/activity', tab: 'activity', view: () => import('./views/activity.js') },
  { pattern: '/settings', tab: 'settings', view: () => import('./views/settings.js') },
  { pattern: '/settings/import', tab: 'settings', view: () => import('./views/import.js') },
  { pattern: '/settings/:part', tab: 'settings', view: () => import('./views/settings.js') },
  { pattern: '/sign-in', tab: '', view: () => import('./views/sign-in.js') },
  { pattern: '/join', tab: '', view: () => import('./views/join.js') },
  { pattern: '/reset', tab: '', view: () => import('./views/join.js') },
  { pattern: '/auth/callback', tab: '', view: () => import('./views/sign-in.js') },
];
