CREATE SCHEMA IF NOT EXISTS taskwire;
CREATE TABLE IF NOT EXISTS taskwire.migrations (version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE taskwire.tasks (
  task_id text PRIMARY KEY,
  owner text NOT NULL,
  version integer NOT NULL,
  expires_at bigint,
  at_work boolean NOT NULL,
  lease_until bigint,
  tool text NOT NULL,
  status text NOT NULL,
  is_waiting boolean NOT NULL,
  attempt integer NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  error_code bigint,
  taken_until bigint NOT NULL DEFAULT 0,
  state text NOT NULL,
  call text NOT NULL,
  history text NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX tasks_owner ON taskwire.tasks (owner) WHERE at_work;
CREATE INDEX tasks_lease ON taskwire.tasks (lease_until) WHERE at_work AND lease_until IS NOT NULL;
CREATE INDEX tasks_waiting ON taskwire.tasks (created_at) WHERE at_work AND is_waiting;
CREATE INDEX tasks_expiry ON taskwire.tasks (expires_at);
CREATE INDEX tasks_created ON taskwire.tasks (created_at, task_id);
COMMENT ON COLUMN taskwire.tasks.state IS 'JSON: everything but call and history, which may be large';
COMMENT ON COLUMN taskwire.tasks.call IS 'what it takes to run the tool, as the option seal returned it; empty once the task is over';
COMMENT ON COLUMN taskwire.tasks.taken_until IS 'until when no other worker takes the job, which one has taken and not claimed';
CREATE VIEW taskwire.tasks_view AS
  SELECT task_id, owner, tool, status, is_waiting, attempt, error_code,
    to_timestamp(created_at / 1000.0) AS created_at, to_timestamp(updated_at / 1000.0) AS updated_at,
    to_timestamp(expires_at / 1000.0) AS expires_at, to_timestamp(lease_until / 1000.0) AS lease_until
  FROM taskwire.tasks;
COMMENT ON VIEW taskwire.tasks_view IS 'tasks for people: with times, and without what the records say';
INSERT INTO taskwire.migrations (version) VALUES (1);
