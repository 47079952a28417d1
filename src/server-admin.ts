/**
 * A page for operators that lists the tasks of a server and can cancel them.
 *
 * @packageDocumentation
 */
export {
  type AdminGuard,
  createTaskAdmin,
  type TaskAdmin,
  type TaskAdminOptions,
} from './server/admin/createTaskAdmin.js'
