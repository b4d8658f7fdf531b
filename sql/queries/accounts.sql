-- name: insertUser
INSERT INTO users (
  email, email_key, username, username_key, username_skeleton, search_key, password_hash, provider, provider_id,
  full_name, avatar_url, is_admin, email_verified, created_at, updated_at
) VALUES (
  :email, :emailKey, :username, :usernameKey, :usernameSkeleton, :searchKey, :passwordHash, :provider, :providerId,
  :fullName, :avatarUrl, :isAdmin, :emailVerified, :now, :now
)
RETURNING *

-- name: getUser
SELECT * FROM users WHERE id = :id

-- name: findUserByEmail
SELECT * FROM users WHERE email_key = :emailKey

-- name: usernameIsTaken
SELECT 1 FROM users
WHERE (username_key = :usernameKey OR username_skeleton = :usernameSkeleton) AND id IS NOT :except

-- name: listUsers
SELECT * FROM users ORDER BY id

-- name: setPasswordHash
UPDATE users SET password_hash = :passwordHash, updated_at = :now WHERE id = :id

-- name: setProfile
UPDATE users SET username = :username, username_key = :usernameKey, username_skeleton = :usernameSkeleton,
  full_name = :fullName, search_key = :searchKey, updated_at = :now
WHERE id = :id

-- name: otherAdministrator
SELECT 1 FROM users WHERE is_admin = 1 AND is_active = 1 AND id <> :id

-- name: selectAccount
SELECT
  users.*,
  (SELECT count(*) FROM sessions WHERE user_id = users.id AND expires_at > :now) AS sessions,
  (
    SELECT count(*) FROM api_tokens WHERE user_id = users.id AND (expires_at IS NULL OR expires_at > :now)
  ) AS api_tokens
FROM users

-- name: whereAccount
WHERE id = :id

-- name: whereMatching
-- :literal matches text that search keys drop, such as a percent sign.
WHERE instr(search_key, :text) > 0 AND instr(email_key || ' ' || username || ' ' || coalesce(full_name, ''), :literal) > 0
  AND (:isActive IS NULL OR is_active = :isActive) AND (:isAdmin IS NULL OR is_admin = :isAdmin)

-- name: afterAccount
AND id > :after ORDER BY id LIMIT :limit

-- name: countAccounts
SELECT count(*) FROM users

-- name: setAdmin
UPDATE users SET is_admin = :isAdmin, updated_at = :now WHERE id = :id

-- name: setActive
UPDATE users SET is_active = :isActive, updated_at = :now WHERE id = :id

-- name: recordLogin
UPDATE users SET last_login_at = :now WHERE id = :id RETURNING *

-- name: insertSession
INSERT INTO sessions (user_id, cookie, ip_address, user_agent, created_at, last_used_at, expires_at)
VALUES (:userId, :cookie, :ipAddress, :userAgent, :now, :now, :expiresAt)
RETURNING id

-- name: insertRefreshToken
INSERT INTO refresh_tokens (token_hash, sid_hash, session_id) VALUES (:tokenHash, :sidHash, :sessionId)

-- name: nameSession
-- Upgrades a refresh token from before schema version 19, whose session was named differently.
UPDATE refresh_tokens SET sid_hash = :sidHash WHERE token_hash = :tokenHash AND sid_hash IS NOT :sidHash

-- name: findRefreshToken
SELECT refresh_tokens.session_id, refresh_tokens.rotated_at, refresh_tokens.successor_salt,
  sessions.user_id, sessions.cookie, sessions.ip_address, sessions.user_agent, sessions.expires_at,
  users.is_active
FROM refresh_tokens
JOIN sessions ON sessions.id = refresh_tokens.session_id
JOIN users ON users.id = sessions.user_id
WHERE refresh_tokens.token_hash = :tokenHash

-- name: rotateRefreshToken
UPDATE refresh_tokens SET rotated_at = :now, successor_salt = :salt
WHERE token_hash = :tokenHash AND rotated_at IS NULL

-- name: touchSession
UPDATE sessions SET last_used_at = :now, ip_address = :ipAddress, user_agent = :userAgent WHERE id = :id

-- name: findSessionCaller
SELECT users.id, users.is_admin
FROM refresh_tokens
JOIN sessions ON sessions.id = refresh_tokens.session_id
JOIN users ON users.id = sessions.user_id
WHERE refresh_tokens.sid_hash = :sidHash AND sessions.user_id = :userId AND sessions.expires_at > :now
  AND users.is_active = 1

-- name: listSessions
SELECT
  id, id IS (SELECT session_id FROM refresh_tokens WHERE sid_hash = :sidHash) AS current, cookie, ip_address, user_agent,
  created_at, last_used_at, expires_at
FROM sessions
WHERE user_id = :userId AND expires_at > :now AND (last_used_at, id) < (:lastUsedAt, :id)
ORDER BY last_used_at DESC, id DESC LIMIT :limit

-- name: rememberAddress
INSERT INTO login_addresses (user_id, address_key, last_login_at) VALUES (:userId, :addressKey, :now)
ON CONFLICT (user_id, address_key) DO UPDATE SET last_login_at = excluded.last_login_at

-- name: forgetAddresses
DELETE FROM login_addresses WHERE user_id = :userId AND address_key NOT IN (
  SELECT address_key FROM login_addresses WHERE user_id = :userId ORDER BY last_login_at DESC LIMIT :keep
)

-- name: knowsAddress
SELECT 1 FROM login_addresses JOIN users ON users.id = login_addresses.user_id
WHERE users.email_key = :emailKey AND login_addresses.address_key = :addressKey

-- name: deleteSession
DELETE FROM sessions WHERE id = :id

-- name: deleteSessionBySid
DELETE FROM sessions WHERE id = (SELECT session_id FROM refresh_tokens WHERE sid_hash = :sidHash)

-- name: deleteSessionOfUser
DELETE FROM sessions WHERE id = :id AND user_id = :userId AND expires_at > :now

-- name: deleteSurplusSessions
DELETE FROM sessions WHERE user_id = :userId AND id <= (
  SELECT id FROM sessions WHERE user_id = :userId ORDER BY id DESC LIMIT 1 OFFSET :most
)

-- name: deleteExpiredSessions
DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE expires_at <= :now LIMIT 1000)

-- name: insertApiToken
INSERT INTO api_tokens (user_id, name, token_hash, created_at, expires_at)
VALUES ((SELECT id FROM users WHERE id = :userId), :name, :tokenHash, :now, :expiresAt)
RETURNING id, name, created_at, expires_at, last_used_at

-- name: listApiTokens
SELECT id, name, created_at, expires_at, last_used_at FROM api_tokens
WHERE user_id IS (SELECT id FROM users WHERE id = :userId) AND id < :before ORDER BY id DESC LIMIT :limit

-- name: getApiToken
SELECT id, name, created_at, expires_at, last_used_at FROM api_tokens
WHERE id = :id AND user_id IS (SELECT id FROM users WHERE id = :userId)

-- name: findApiTokenCaller
SELECT users.id, users.is_admin, api_tokens.id AS token_id, api_tokens.name AS token_name, api_tokens.last_used_at
FROM api_tokens JOIN users ON users.id = api_tokens.user_id
WHERE api_tokens.token_hash = :tokenHash AND (api_tokens.expires_at IS NULL OR api_tokens.expires_at > :now)
  AND users.is_active = 1

-- name: touchApiToken
UPDATE api_tokens SET last_used_at = :hour WHERE id = :id

-- name: deleteApiToken
DELETE FROM api_tokens WHERE id = :id AND user_id IS (SELECT id FROM users WHERE id = :userId)

-- name: insertInvitation
INSERT INTO invitations (secret_hash, email, note, created_at, created_by, expires_at)
VALUES (:secretHash, :email, :note, :now, (SELECT id FROM users WHERE id = :userId), :expiresAt)
RETURNING id

-- name: selectInvitation
SELECT
  invitations.id, invitations.email, note, invitations.created_at, created_by, creators.username AS creator, expires_at,
  used_at, used_by, guests.username AS guest
FROM invitations
LEFT JOIN users AS creators ON creators.id = created_by
LEFT JOIN users AS guests ON guests.id = used_by

-- name: whereInvitation
WHERE invitations.id = :id

-- name: orderInvitations
WHERE invitations.id < :before ORDER BY invitations.id DESC LIMIT :limit OFFSET :offset

-- name: findOpenInvitation
-- Triggers remove the links of former administrators, but not where a tool replaces the row of the user.
SELECT id, email, expires_at, (SELECT username FROM users WHERE id = created_by) AS invited_by FROM invitations
WHERE secret_hash = :secretHash AND used_at IS NULL AND expires_at > :now
  AND (created_by IS NULL OR EXISTS (SELECT 1 FROM users WHERE id = created_by AND is_admin = 1 AND is_active = 1))

-- name: useInvitation
UPDATE invitations SET used_at = :now, used_by = :userId WHERE id = :id

-- name: deleteInvitation
DELETE FROM invitations WHERE id = :id

-- name: setReset
INSERT INTO password_resets (user_id, secret_hash, created_by, expires_at)
VALUES (:userId, :secretHash, :createdBy, :expiresAt)
ON CONFLICT (user_id) DO UPDATE
SET secret_hash = excluded.secret_hash, created_by = excluded.created_by, expires_at = excluded.expires_at

-- name: findReset
SELECT user_id FROM password_resets
WHERE secret_hash = :secretHash AND expires_at > :now
  AND (created_by IS NULL OR EXISTS (SELECT 1 FROM users WHERE id = created_by AND is_admin = 1 AND is_active = 1))
