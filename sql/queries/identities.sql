-- name: findUser
SELECT users.id, users.is_active FROM identities JOIN users ON users.id = identities.user_id
WHERE identities.issuer = :issuer AND identities.subject = :subject

-- name: insert
INSERT INTO identities (issuer, subject, user_id, created_at) VALUES (:issuer, :subject, :userId, :now)

-- name: handOverUser
UPDATE users SET password_hash = NULL, provider = :provider, provider_id = :subject, email_verified = 1,
  avatar_url = :avatarUrl, updated_at = :now
WHERE id = :userId

-- name: forgetAddresses
DELETE FROM login_addresses WHERE user_id = :userId

-- name: forgetAnswers
DELETE FROM idempotency_keys WHERE user_id = :userId

-- name: cancelOutings
UPDATE outings SET state = 'cancelled', changed_at = :now
WHERE user_id = :userId AND state = 'open' AND closes_at > :now

-- name: leaveOutings
DELETE FROM outing_voters WHERE user_id = :userId
  AND outing_id NOT IN (SELECT id FROM outings WHERE user_id = :userId)
