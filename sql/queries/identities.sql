-- name: findUser
SELECT users.id, users.is_active FROM identities JOIN users ON users.id = identities.user_id
WHERE identities.issuer = :issuer AND identities.subject = :subject

-- name: insert
INSERT INTO identities (issuer, subject, user_id, created_at) VALUES (:issuer, :subject, :userId, :now)

-- name: deleteOfUser
DELETE FROM identities WHERE user_id = :userId

-- name: handOverUser
UPDATE users SET password_hash = NULL, provider = :provider, provider_id = :subject, email_verified = 1,
  full_name = :fullName, search_key = :searchKey, avatar_url = :avatarUrl, updated_at = :now
WHERE id = :userId
