-- name: insertUser
INSERT INTO users (
  email, email_key, username, username_key, username_skeleton, password_hash, provider, provider_id,
  full_name, avatar_url, is_admin, email_verified, created_at, updated_at
) VALUES (
  :email, :emailKey, :username, :usernameKey, :usernameSkeleton, :passwordHash, :provider, :providerId,
  :fullName, :avatarUrl, :isAdmin, :emailVerified, :now, :now
)
RETURNING *

-- name: getUser
SELECT * FROM users WHERE id = :id

-- name: findUserByEmail
SELECT * FROM users WHERE email_key = :emailKey

-- name: usernameIsTaken
SELECT 1 FROM users WHERE username_key = :usernameKey OR username_skeleton = :usernameSkeleton

-- name: listUsers
SELECT * FROM users ORDER BY id

-- name: setPasswordHash
UPDATE users SET password_hash = :passwordHash, updated_at = :now WHERE id = :id

-- name: setAdmin
UPDATE users SET is_admin = :isAdmin, updated_at = :now WHERE id = :id

-- name: setActive
UPDATE users SET is_active = :isActive, updated_at = :now WHERE id = :id

-- name: deleteUser
DELETE FROM users WHERE id = :id

-- name: recordLogin
UPDATE users SET last_login_at = :now WHERE id = :id RETURNING *

-- name: insertSession
INSERT INTO sessions (sid, user_id, cookie, ip_address, user_agent, created_at, last_used_at, expires_at)
VALUES (:sid, :userId, :cookie, :ipAddress, :userAgent, :now, :now, :expiresAt)
RETURNING id

-- name: insertRefreshToken
INSERT INTO refresh_tokens (token_hash, session_id) VALUES (:tokenHash, :sessionId)

-- name: findRefreshToken
SELECT refresh_tokens.session_id, refresh_tokens.rotated_at, refresh_tokens.successor_salt,
  sessions.sid, sessions.user_id, sessions.cookie, sessions.ip_address, sessions.user_agent, sessions.expires_at,
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
SELECT users.id, users.is_admin FROM sessions JOIN users ON users.id = sessions.user_id
WHERE sessions.sid = :sid AND sessions.user_id = :userId AND sessions.expires_at > :now AND users.is_active = 1

-- name: listSessions
SELECT id, ip_address, user_agent, created_at, last_used_at, expires_at
FROM sessions WHERE user_id = :userId AND expires_at > :now ORDER BY last_used_at DESC, id DESC

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
DELETE FROM sessions WHERE sid = :sid

-- name: deleteSessionsOfUser
DELETE FROM sessions WHERE user_id = :userId

-- name: deleteExpiredSessions
DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE expires_at <= :now LIMIT 1000)

-- name: insertApiToken
INSERT INTO api_tokens (user_id, name, token_hash, created_at, expires_at)
VALUES ((SELECT id FROM users WHERE id = :userId), :name, :tokenHash, :now, :expiresAt)
RETURNING id, name, created_at, expires_at, last_used_at

-- name: listApiTokens
SELECT id, name, created_at, expires_at, last_used_at FROM api_tokens
WHERE user_id IS (SELECT id FROM users WHERE id = :userId) ORDER BY id DESC

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

-- name: deleteApiTokensOfUser
DELETE FROM api_tokens WHERE user_id = :userId
