export { type AdminGuard, createTaskAdmin, type TaskAdmin, type TaskAdminOptions } from './createTaskAdmin.js'
